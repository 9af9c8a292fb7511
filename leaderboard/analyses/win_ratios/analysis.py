"""Win ratios of a campaign's runs, as a table and a figure."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from judging.models import Campaign
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.shared.contenders import Contenders
from leaderboard.analyses.shared.loaded_contenders import load_contenders
from leaderboard.analyses.win_ratios.computation import WinRatios, win_ratios
from leaderboard.board.standings import PERFECT
from leaderboard.errors import NothingToScore
from leaderboard.output import Analysis, Column, Facts, Figure, Kind, Row, Table
from leaderboard.output.chart import Cells, chart_content
from leaderboard.output.table import as_number
from leaderboard.scoring.chosen_runs import official_set
from leaderboard.scoring.evaluation import Progress
from pooling.models import PoolRun, Run

MEASURE = "preferred tops"
NOT_COMPARABLE = "n. c."
# With more runs than this, the figure has no space for numbers.
MOST_NUMBERED = 30


def pooled_runs(campaign: Campaign, runs: Sequence[Run]) -> tuple[list[Run], list[Run]]:
    """Return the runs from which the campaign's pool was built, and the other runs, some of them maybe in challenges.

    Imported judgments have no pool, so the pooled runs are unknown, and all runs count as pooled.
    """
    if campaign.pool_id is None:
        return list(runs), []
    inside = set(PoolRun.objects.filter(pool=campaign.pool_id).values_list("run_id", flat=True))
    return [run for run in runs if run.pk in inside], [run for run in runs if run.pk not in inside]


def analyse_win_ratios(asked: Asked, _: Progress | None) -> Analysis:
    """Return Table 4 of [SP] for a campaign: the pooled runs and the perfect run, by judgments of the first round.

    Raises NothingToScore if no run was pooled.
    """
    campaign, alpha = asked.judged, asked.number("alpha")
    official = official_set(asked.collection, asked.text("official") or None)
    pooled, others = pooled_runs(campaign, asked.runs)
    if not pooled:
        raise NothingToScore(
            f"None of these runs was in the pool of {campaign.name}.", "Choose runs that were pooled."
        )
    known = load_contenders(campaign=campaign, runs=pooled, qrel_set=official)
    judged = known.evidence.judged
    with_perfect = _perfect_first(known.with_perfect_run())
    found = win_ratios(
        with_perfect.run_tags,
        with_perfect.tops,
        with_perfect.judged_pairs(judged.only(judged.round == 0)),
        alpha=alpha,
    )
    facts = known.table_facts(
        measure=MEASURE,
        queries=len(with_perfect.queries),
        labels=(official.name,),
        further=(("level", str(alpha)),),
    )
    return ratios_analysis(found, facts, not_comparable=[run.run_tag for run in others])


def _perfect_first(contenders: Contenders) -> Contenders:
    return Contenders(
        (contenders.run_tags[-1], *contenders.run_tags[:-1]),
        contenders.query,
        contenders.passage,
        np.roll(contenders.rank, 1, axis=0),
        contenders.represents,
    )


def ratios_analysis(found: WinRatios, facts: Facts, *, not_comparable: Sequence[str] = ()) -> Analysis:
    """Return the analysis: tables of the ratios and of the counts behind them, and a figure of the ratios."""
    notes = ["The wins row counts the rows against which a column's ratio is above 50%."]
    if not_comparable:
        notes.append(
            f"{NOT_COMPARABLE}: not comparable, because the pool was built without them: {', '.join(not_comparable)}."
        )
    caption = (
        "How often the column's top passage was preferred to the row's, as a percentage of the queries where the two "
        f"differ and people preferred one of them. Exact binomial test of even odds; p is multiplied by the number "
        f"of pairs ({found.pairs})."
    )
    table = Table(
        key="ratios",
        title="Win ratios",
        caption=caption,
        columns=(
            Column("row", "row"),
            *(Column(_column_key(found, place), name, Kind.SHARE) for place, name in enumerate(found.names)),
        ),
        rows=(
            *(_ratio_row(found, row) for row in range(len(found.names))),
            _wins_row(found),
            *_not_comparable_rows(found, not_comparable),
        ),
        facts=facts,
        notes=tuple(notes),
        significance=f"p < {found.alpha}, Bonferroni over {found.pairs} pairs",
    )
    return Analysis(
        facts=facts,
        tables=(table, _win_counts_table(found, facts)),
        figures=(_ratios_figure(found, facts, caption, table),),
        sentences=(_most_preferred_sentence(found),),
        content={"not_comparable": list(not_comparable), "pairs": found.pairs},
    )


def _column_key(found: WinRatios, place: int) -> str:
    return found.names[place] if found.names[place] != "row" else "run row"


def _ratio_row(found: WinRatios, row: int) -> Row:
    cells = {
        _column_key(found, column): None if column == row else as_number(found.ratio[row, column])
        for column in range(len(found.names))
    }
    marked = frozenset(
        _column_key(found, column) for column in np.flatnonzero(found.significant[row]).tolist()
    )
    return Row({"row": found.names[row], **cells}, significant=marked, faint=found.names[row] == PERFECT)


def _wins_row(found: WinRatios) -> Row:
    # The number of opponents is text, so that it is not shown as a share.
    cells: dict[str, Any] = {
        _column_key(found, place): str(count) for place, count in enumerate(found.beaten.tolist())
    }
    return Row({"row": "wins", **cells})


def _not_comparable_rows(found: WinRatios, names: Sequence[str]) -> list[Row]:
    cells = {_column_key(found, place): NOT_COMPARABLE for place in range(len(found.names))}
    return [Row({"row": name, **cells}, faint=True) for name in names]


def _win_counts_table(found: WinRatios, facts: Facts) -> Table:
    """Return a table with one row per pair of runs: the counts and p-values behind the ratios."""
    rows = []
    for first in range(len(found.names)):
        for second in range(first + 1, len(found.names)):
            rows.append(
                Row(
                    {
                        "first": found.names[first],
                        "second": found.names[second],
                        "first_wins": int(found.wins[second, first]),
                        "second_wins": int(found.wins[first, second]),
                        "level": int(found.level[first, second]),
                        "p": float(found.p_value[first, second]),
                        "corrected": float(found.corrected[first, second]),
                    },
                    significant=frozenset({"corrected"} if found.significant[first, second] else ()),
                )
            )
    columns = (
        Column("first", "run"),
        Column("second", "against"),
        Column("first_wins", "wins", Kind.COUNT),
        Column("second_wins", "losses", Kind.COUNT),
        Column("level", "level", Kind.COUNT),
        Column("p", "p", Kind.P),
        Column("corrected", "p, corrected", Kind.P),
    )
    caption = "Queries in which one run's top passage was preferred; exact binomial test of even odds."
    marks = f"p < {found.alpha}, Bonferroni over {found.pairs} pairs"
    return Table("counts", "Wins behind the ratios", caption, columns, tuple(rows), facts, significance=marks)


def _most_preferred_sentence(found: WinRatios) -> str:
    runs = [place for place, name in enumerate(found.names) if name != PERFECT]
    top = max(runs, key=lambda place: int(found.beaten[place]))
    count = int(found.beaten[top])
    return (
        f"{found.names[top]} is preferred to {count} of its {len(found.names) - 1} opponents more often than not; "
        f"{int(found.significant.sum()) // 2} of {found.pairs} pairs differ significantly."
    )


def _ratios_figure(found: WinRatios, facts: Facts, caption: str, data: Table) -> Figure:
    """Return the figure of ratios, with cells in shades around one half, and gray cells without preferences.

    Significant ratios are bold, or marked with a dot if there are too many runs to write numbers.
    """
    size = len(found.names)
    side = min(12.0, max(4.0, 1.6 + size * 0.33))
    points = min(7.0, 0.7 * 72 * side / (size + 8))

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import short_name

        axes = canvas.subplots()
        axes.grid(visible=False)
        axes.set_facecolor("#d9d9d9")
        shades = axes.imshow(found.ratio * 100, cmap="RdBu_r", vmin=20, vmax=80, aspect="auto")
        canvas.colorbar(shades, ax=axes, label="preferred (%)", extend="both", shrink=0.6, pad=0.02)
        turned = {"rotation": 60, "ha": "right"} if size <= MOST_NUMBERED else {"rotation": 90}
        names = [short_name(name) for name in found.names]
        axes.set_xticks(range(size), names, fontsize=points, **turned)
        axes.set_yticks(range(size), names, fontsize=points)
        axes.set_xlabel("column: preferred")
        axes.set_ylabel("row: not preferred")
        _write_ratios(axes, found, points)

    marked = "Dots" if size > MOST_NUMBERED else "Bold"
    caption = f"{caption} {marked}: p < {found.alpha} after this correction. Gray: no preferences."
    charts = (_ratios_chart(found),)
    return Figure("ratios", "Win ratios", caption, facts, draw, data, charts, max(side, 5.0), side * 0.85)


def _ratios_chart(found: WinRatios) -> Mapping[str, Any]:
    size = range(len(found.names))
    cells = [
        (row, column, float(found.ratio[row, column])) for row in size for column in size if row != column
    ]
    chart = Cells(
        "Win ratios: how often the column's top passage was preferred to the row's",
        rows=found.names,
        columns=found.names,
        cells=[cell for cell in cells if not np.isnan(cell[2])],
        across="preferred",
        low=0.2,
        high=0.8,
        diverging=True,
        marked=[(int(row), int(column)) for row, column in np.argwhere(found.significant)],
    )
    return chart_content(chart)


def _write_ratios(axes: Any, found: WinRatios, points: float) -> None:
    if len(found.names) > MOST_NUMBERED:
        rows, columns = np.nonzero(found.significant)
        axes.plot(columns, rows, "o", ms=points / 3, color="black", ls="")
        return
    for row, column in np.argwhere(~np.isnan(found.ratio)):
        ratio = found.ratio[row, column] * 100
        bold = bool(found.significant[row, column])
        axes.text(
            column,
            row,
            f"{ratio:.0f}",
            ha="center",
            va="center",
            fontsize=points,
            fontweight="bold" if bold else "normal",
            color="black" if 30 <= ratio <= 70 else "white",
        )
