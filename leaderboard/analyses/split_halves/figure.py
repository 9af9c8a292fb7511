"""The figure of split halves: the outcomes of every test, and how often a difference is significant in a half."""

from collections.abc import Sequence
from typing import Any

from leaderboard.analyses.split_halves.computation import Agreement, Outcome
from leaderboard.output import Facts, Figure, Table
from leaderboard.output.chart import Bars, Part, chart_content

PANELS_A_ROW = 2
INCHES_A_TEST = 0.24
BAR, BESIDE = 0.56, 0.16
# Parts of a bar with smaller shares are too narrow to show their number.
LEAST_WRITTEN = 0.08
SIGNIFICANT = "significant in a half"
PARTS = ("agree", "partially agree", "disagree")

Results = Sequence[tuple[str, Agreement]]


def halves_figure(results: Results, facts: Facts, data: Table) -> Figure:
    """Return a figure with a panel for each combination, and in it a bar for each test."""
    down = -(-len(results) // PANELS_A_ROW)
    across = min(PANELS_A_ROW, len(results))

    def draw(canvas: Any) -> None:
        panels = canvas.subplots(down, across, sharey=True, squeeze=False).ravel()
        for panel, (name, result) in zip(panels, results, strict=False):
            _draw_halves_panel(panel, name, result)
        for panel in panels[len(results) :]:
            panel.set_axis_off()
        handles, names = panels[0].get_legend_handles_labels()
        canvas.legend(handles, names, loc="outside upper center", ncols=len(names))

    return Figure(
        "halves",
        "Agreement of split halves",
        data.caption,
        facts,
        draw,
        data=data,
        charts=tuple(chart_content(_halves_chart(name, result)) for name, result in results),
        height=0.4 + down * (0.7 + INCHES_A_TEST * len(results[0][1].outcomes)),
    )


def _test_name(outcome: Outcome) -> str:
    return f"{outcome.test}, {outcome.direction}s"


def _outcome_shares(outcome: Outcome) -> tuple[float, float, float]:
    return outcome.agree, outcome.partial, outcome.disagree


def _halves_chart(name: str, result: Agreement) -> Bars:
    shares = [_outcome_shares(one) for one in result.outcomes]
    return Bars(
        f"Agreement of split halves: {name}",
        "share of pairs of runs and splits",
        rows=[_test_name(one) for one in result.outcomes],
        parts=[Part(part, [row[place] for row in shares]) for place, part in enumerate(PARTS)],
        beside=Part(SIGNIFICANT, [one.significant for one in result.outcomes]),
    )


def _draw_halves_panel(panel: Any, name: str, result: Agreement) -> None:
    from leaderboard.output.drawing import OKABE_ITO

    colors = (OKABE_ITO[0], OKABE_ITO[5], OKABE_ITO[1])
    places = range(len(result.outcomes))
    start = [0.0] * len(result.outcomes)
    for part, fill, ink in zip(PARTS, colors, ("white", "black", "black"), strict=True):
        shares = [_outcome_shares(one)[PARTS.index(part)] for one in result.outcomes]
        panel.barh(places, shares, BAR, start, color=fill, edgecolor="white", linewidth=0.5, label=part)
        for place, (left, share) in enumerate(zip(start, shares, strict=True)):
            if share >= LEAST_WRITTEN:
                panel.text(left + share / 2, place, _percent_text(share), color=ink, **_CENTRED)
            elif part == PARTS[-1]:  # There is space for the number beside the last part.
                panel.text(1.01, place, _percent_text(share), **_CENTRED | {"ha": "left"})
        start = [left + share for left, share in zip(start, shares, strict=True)]
    below = [place + (BAR + BESIDE) / 2 for place in places]
    significant = [one.significant for one in result.outcomes]
    panel.barh(below, significant, BESIDE, color="black", label=SIGNIFICANT)
    for y, share in zip(below, significant, strict=True):
        panel.text(share + 0.01, y + 0.02, _percent_text(share), fontsize=5, va="center", ha="left")
    panel.set_title(name, loc="left")
    panel.set_yticks(places, [_test_name(one) for one in result.outcomes])
    panel.set_xlim(0, 1)
    panel.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"])
    panel.set_xlabel("share of pairs of runs and splits (%)")
    panel.set_ylim(len(result.outcomes) - 0.4, -0.5)
    panel.grid(visible=False, axis="y")
    panel.tick_params(axis="y", length=0)


_CENTRED: dict[str, Any] = {"fontsize": 6, "va": "center", "ha": "center"}


def _percent_text(share: float) -> str:
    return f"{share * 100:.1f}"
