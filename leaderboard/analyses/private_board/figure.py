"""The figure of the private board: every submission on public and private queries, and the difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from leaderboard.analyses.private_board.computation import Step
from leaderboard.output import Column, Facts, Figure, Interval, Kind, Table
from leaderboard.output.chart import Series, Spans, chart_content
from leaderboard.output.table import rows_of

INCHES_A_ROW = 0.15
VALUES = "Public and private values"
DIFFERENCE = "gain on public minus gain on private queries"
OTHERS = "other runs"
COLUMNS = (
    Column("team", "team"),
    Column("run", "run"),
    Column("date", "submitted"),
    Column("submission", "submission", Kind.COUNT),
    Column("public", "public", Kind.MEASURE),
    Column("private", "private", Kind.MEASURE),
    Column("excess", "difference of the gains", Kind.CHANGE),
)


@dataclass(frozen=True)
class Submission:
    """A run on public and private queries; ``number`` counts the team's runs, ``step`` compares it with the first."""

    team: str
    run: str
    date: str
    number: int | None
    public: float
    private: float
    step: Step | None = None

    @property
    def excess(self) -> Interval | None:
        """Return how much more was gained on public queries."""
        return None if self.step is None else Interval(self.step.excess, self.step.low, self.step.high)


def private_figure(submissions: Sequence[Submission], measure: str, caption: str, facts: Facts) -> Figure:
    """Draw ``submissions``, given team by team in order of time. ``measure`` labels the axis of values."""
    lines = _teams_and_submissions(submissions)
    stepped = any(one.step for one in submissions)

    def draw(canvas: Any) -> None:
        panels = canvas.subplots(1, 1 + stepped, sharey=True, squeeze=False).ravel()
        _draw_values(panels[0], lines, measure)
        if stepped:
            _draw_differences(panels[1], lines)
        _label_lines(panels[0], lines)

    return Figure(
        "submissions",
        "Public and private values of successive submissions",
        caption,
        facts,
        draw,
        data=_submissions_table(submissions, caption, facts),
        charts=tuple(map(chart_content, _submission_charts(submissions, measure, stepped))),
        height=max(2.2, 0.9 + INCHES_A_ROW * len(lines)),
    )


def _teams_and_submissions(submissions: Sequence[Submission]) -> list[Submission | str]:
    """Return the lines from top to bottom: each team's name above its submissions, then the other runs."""
    groups = [list(members) for _, members in groupby(submissions, key=lambda one: one.team)]
    several = [group for group in groups if group[0].team and len(group) > 1]
    others: list[Submission | str] = [one for group in groups if group not in several for one in group]
    if not several:
        return others
    lines: list[Submission | str] = []
    for group in several:
        lines += [group[0].team, *group]
    return lines + ([OTHERS, *others] if others else [])


def _placed_submissions(lines: Sequence[Submission | str]) -> list[tuple[int, Submission]]:
    return [(place, one) for place, one in enumerate(lines) if isinstance(one, Submission)]


def _draw_values(axes: Any, lines: Sequence[Submission | str], measure: str) -> None:
    from leaderboard.output.drawing import GRAY, OKABE_ITO

    placed = _placed_submissions(lines)
    places = [place for place, _ in placed]
    public, private = [one.public for _, one in placed], [one.private for _, one in placed]
    axes.hlines(places, public, private, color=GRAY, linewidth=0.8)
    axes.plot(public, places, "o", color=OKABE_ITO[0], label="public queries")
    axes.plot(private, places, "s", color=OKABE_ITO[1], markersize=3.5, label="private queries")
    axes.set_xlabel(measure)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def _draw_differences(axes: Any, lines: Sequence[Submission | str]) -> None:
    from leaderboard.output.drawing import OKABE_ITO

    for place, one in _placed_submissions(lines):
        if one.step is None:
            continue
        axes.hlines(place, one.step.low, one.step.high, color=OKABE_ITO[2])
        fill = OKABE_ITO[2] if one.step.overfitting else "white"
        axes.plot(one.step.excess, place, "D", color=OKABE_ITO[2], markersize=3.5, markerfacecolor=fill)
    axes.axvline(0, color="black", linewidth=0.6, linestyle=":")
    axes.set_xlabel(DIFFERENCE)
    axes.tick_params(axis="y", length=0)


def _label_lines(axes: Any, lines: Sequence[Submission | str]) -> None:
    from leaderboard.output.drawing import short_name

    names = [short_name(one if isinstance(one, str) else one.run) for one in lines]
    axes.set_yticks(range(len(lines)), names, fontsize=7 if len(lines) <= 60 else 5)
    for line, label in zip(lines, axes.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if isinstance(line, str) else "normal")
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def _submission_charts(submissions: Sequence[Submission], measure: str, stepped: bool) -> list[Spans]:
    values = Spans(
        VALUES,
        measure,
        [_submission_name(one) for one in submissions],
        [
            Series("public queries", [(one.public, None, None) for one in submissions]),
            Series("private queries", [(one.private, None, None) for one in submissions]),
        ],
        notes=[_submission_note(one) for one in submissions],
    )
    later = [one for one in submissions if one.step is not None]
    differences = Spans(
        "Gains over the team's first run",
        DIFFERENCE,
        [_submission_name(one) for one in later],
        [Series("difference", [one.excess.estimate for one in later if one.excess])],
        line=0.0,
        notes=[_submission_note(one) for one in later],
    )
    return [values, differences] if stepped else [values]


def _submission_name(one: Submission) -> str:
    return f"{one.team}: {one.run}" if one.team else one.run


def _submission_note(one: Submission) -> str:
    number = "" if one.number is None else f"submission {one.number}, "
    warned = "; looks like overfitting" if one.step is not None and one.step.overfitting else ""
    return f"{number}{one.date or 'undated'}{warned}"


def _submissions_table(submissions: Sequence[Submission], caption: str, facts: Facts) -> Table:
    rows = rows_of(submissions, COLUMNS, submission=lambda one: one.number)
    return Table(
        "submissions", "Public and private values of successive submissions", caption, COLUMNS, rows, facts
    )
