"""A board as a table and figures, for `leaderboard`, the downloads on its page and the agreement of boards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from leaderboard.board.boards import PublishedBoard, as_dict
from leaderboard.board.standings import PERFECT, BoardRow, Estimate, standing_out
from leaderboard.output import Analysis, Column, Facts, Figure, Interval, Kind, Row, Table
from leaderboard.output.chart import Mark, Point, Points, Series, Spans, chart_content
from leaderboard.output.table import best_marked

#: The figure of one board against the other names every run up to this number, and beyond it those that stand out.
NAMED_ALL = 30
NAMED_OF_EACH = 5
NAMED = (
    f"Named: the first {NAMED_OF_EACH} runs of each board, and the {NAMED_OF_EACH} that rise and fall the most. "
    "The table has every run."
)


def board_analysis(published: PublishedBoard) -> Analysis:
    """Return the board in every form."""
    facts = board_facts(published)
    board = board_table(published, facts)
    said = [_in_words(published), agreement_in_words(published)]
    said += ["The judges of this version were simulated."] if published.simulated else []
    return Analysis(
        facts=facts,
        tables=(board,),
        figures=(_panels(published, facts, board), _against(published, facts, board)),
        sentences=tuple(said),
        content=as_dict(published),
    )


def board_facts(published: PublishedBoard) -> Facts:
    """Return what the board was made from."""
    board = published.board
    return Facts(
        collection=published.collection,
        runs=tuple(row.run for row in own_rows(published)),
        labels=(
            f"{published.official} (relevant from grade {published.min_grade})",
            f"version {published.version}",
        ),
        measure=published.mean,
        queries=board.queries,
        software=published.software,
        seed=board.seed,
        simulated=published.simulated,
        further=(
            ("open", f"{published.open:,}"),
            ("singletons", f"{published.singletons:,}"),
            ("trials", f"{board.trials:,}"),
        ),
    )


def board_table(published: PublishedBoard, facts: Facts) -> Table:
    """Return one row per run, the best under preference qrels first."""
    answered, tops = "answered (%)", "judged tops"
    columns = (
        Column("run", "run"),
        Column("official", published.official, Kind.INTERVAL, facts.measure),
        Column("preference", "preference", Kind.INTERVAL, facts.measure),
        Column("rank_official", published.official, Kind.COUNT, "rank"),
        Column("rank_preference", "preference", Kind.COUNT, "rank"),
        Column("shift", "shift", Kind.SHIFT, "rank"),
        Column("answered_official", published.official, Kind.SHARE, answered),
        Column("answered_preference", "preference", Kind.SHARE, answered),
        Column("judged_tops", tops, Kind.SHARE),
        Column("baseline", "baseline"),
    )
    rows: tuple[Row, ...] = tuple(_row(published, row) for row in published.board.rows)
    for column in ("official", "preference"):
        rows = best_marked(rows, column, higher=published.higher_is_better)
    shown = [one for one in columns if one.key != "baseline" or published.baselines]
    lower = "" if published.higher_is_better else " (lower is better)"
    caption = (
        f"{facts.measure}{lower} with {published.board.level:.0%} percentile bootstrap intervals over queries. Equal "
        "values share a rank. A shift is positive for a run that moves up under preference qrels. The perfect run "
        "returns the official qrel of every query and nothing else. It is left out of ranks and correlations. "
        "Judged tops: share of queries whose top passage was judged."
    )
    return Table("boards", "Official and preference qrels", caption, tuple(shown), rows, facts)


def _row(published: PublishedBoard, row: BoardRow) -> Row:
    return Row(
        {
            "run": row.run,
            "official": _interval(row.official),
            "preference": _interval(row.preference),
            "rank_official": row.rank_official,
            "rank_preference": row.rank_preference,
            "shift": row.shift,
            "answered_official": row.answered_official,
            "answered_preference": row.answered_preference,
            "judged_tops": row.judged_tops,
            "baseline": "yes" if row.run in published.baselines else None,
        },
        faint=row.perfect,
    )


def _interval(estimate: Estimate) -> Interval:
    return Interval(estimate.value, estimate.low, estimate.high)


def own_rows(published: PublishedBoard) -> list[BoardRow]:
    """Return the rows of runs by tag, without the perfect run."""
    return sorted((row for row in published.board.rows if not row.perfect), key=lambda row: row.run)


def _in_words(published: PublishedBoard) -> str:
    return (
        f"{published.collection}, version {published.version}: {published.mean} of {published.runs:,} runs over "
        f"{published.board.queries:,} queries ({published.open:,} open, {published.singletons:,} singletons) that "
        f"{published.official} also covers (relevant from grade {published.min_grade})."
    )


def agreement_in_words(published: PublishedBoard) -> str:
    """Return how many pairs of runs both orders rank alike."""
    agreement = published.board.agreement
    tau = "not defined" if agreement.tau_b is None else f"{agreement.tau_b:.2f}"
    return (
        f"Official and preference qrels order {agreement.agree:,} pairs of runs alike and {agreement.disagree:,} "
        f"otherwise (Kendall's tau-b {tau})."
    )


def _panels(published: PublishedBoard, facts: Facts, board: Table) -> Figure:
    """Return one panel per set of labels, with the runs in the order of that panel's own board."""
    rows = published.board.rows

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import OFFICIAL, PREFERENCE, short

        panels = canvas.subplots(1, 2, gridspec_kw={"wspace": 0.3})
        colours = (OFFICIAL, PREFERENCE)
        for axes, (name, title), color in zip(panels, _sides(published), colours, strict=True):
            ordered = _ordered(rows, name)
            estimates = [getattr(row, name) for row in ordered]
            places = np.arange(len(ordered))
            axes.hlines(places, [one.low for one in estimates], [one.high for one in estimates], color=color)
            for place, (row, one) in enumerate(zip(ordered, estimates, strict=True)):
                axes.plot(
                    one.value, place, "D" if row.perfect else "o", color="black" if row.perfect else color
                )
            axes.set_yticks(places, [short(row.run) for row in ordered])
            axes.set_title(title)
            axes.set_xlabel(facts.measure)
            axes.set_ylim(len(ordered) - 0.5, -0.5)
        panels[1].yaxis.tick_right()
        _draw_moves(canvas, panels, rows)

    caption = (
        "95% bootstrap intervals over queries. In print, a diamond is the perfect run, and lines lead from the "
        "official order to the order by preference: green for runs that rise, purple for runs that fall."
    )
    height = max(2.4, 0.9 + 0.17 * len(rows))
    charts = tuple(
        chart_content(_panel(published, name, title, facts.measure, colour))
        for colour, (name, title) in enumerate(_sides(published))
    )
    title = "Official and preference boards"
    return Figure("panels", title, caption, facts, draw, board, charts, 7.0, height, beside=True)


def _draw_moves(canvas: Any, panels: Sequence[Any], rows: Sequence[BoardRow]) -> None:
    """Draw a line from each run's place in the left panel to its place in the right one."""
    from matplotlib.patches import ConnectionPatch

    from leaderboard.output.drawing import GREY, OKABE_ITO

    left, right = ([row.run for row in _ordered(rows, name)] for name in ("official", "preference"))
    for row in rows:
        before, after = left.index(row.run), right.index(row.run)
        color = GREY if before == after else OKABE_ITO[2] if after < before else OKABE_ITO[3]
        line = ConnectionPatch(
            (1, before),
            (0, after),
            panels[0].get_yaxis_transform(),
            panels[1].get_yaxis_transform(),
            color=color,
            linewidth=0.7,
            linestyle="dashed" if row.perfect else "solid",
        )
        canvas.add_artist(line)


def _sides(published: PublishedBoard) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the column and the name of each set of labels."""
    return ("official", f"{published.official} qrels"), ("preference", "preference qrels")


def _ordered(rows: Sequence[BoardRow], name: str) -> list[BoardRow]:
    """Return the runs in the order of one column's own board."""
    return sorted(rows, key=lambda row: (getattr(row, f"rank_{name}"), not row.perfect, row.run))


def _panel(published: PublishedBoard, name: str, title: str, measure: str, colour: int) -> Spans:
    rows = _ordered(published.board.rows, name)
    marks = [_mark(getattr(row, name)) for row in rows]
    return Spans(
        title[:1].upper() + title[1:],
        measure,
        [row.run for row in rows],
        [Series(title, marks)],
        notes=[_ranks(row) for row in rows],
        first_colour=colour,
    )


def _mark(one: Estimate) -> Mark:
    return one.value, one.low, one.high


def _against(published: PublishedBoard, facts: Facts, board: Table) -> Figure:
    """Plot one column against the other, without the perfect run, which would stretch the axis."""
    rows = own_rows(published)
    named = {row.run for row in named_rows(published)}

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import GREY, OFFICIAL, name_points

        axes = canvas.subplots()
        points = {row.run: (row.official.value, row.preference.value) for row in rows}
        for row in rows:
            x, y = points[row.run]
            whisker = {"color": GREY, "linewidth": 0.5, "alpha": 0.35}
            axes.plot([row.official.low, row.official.high], [y, y], **whisker)
            axes.plot([x, x], [row.preference.low, row.preference.high], **whisker)
            color = OFFICIAL if row.run in named else GREY
            axes.plot(x, y, "o", color=color, markersize=3, zorder=4 if row.run in named else 3)
        axes.set_xlabel(f"{facts.measure}, {published.official} qrels")
        axes.set_ylabel(f"{facts.measure}, preference qrels")
        # If two names compete for a place, the run that is higher on the board gets it.
        wanted = [(row.run, *points[row.run]) for row in _ordered(rows, "preference") if row.run in named]
        name_points(canvas, axes, wanted, list(points.values()))

    caption = f"One point per run with both 95% intervals; the {PERFECT} is left out."
    caption += f" {NAMED}" if len(named) < len(rows) else ""
    title = "One board against the other"
    charts = (chart_content(against_chart(published, facts.measure)),)
    return Figure("against", title, caption, facts, draw, board, charts, 5.5, 4.5)


def named_rows(published: PublishedBoard) -> list[BoardRow]:
    """Return the runs named in the figure: all of them, or those that stand out if there are many."""
    rows = own_rows(published)
    return rows if len(rows) <= NAMED_ALL else standing_out(rows, NAMED_OF_EACH)


def against_chart(published: PublishedBoard, measure: str) -> Points:
    """Plot every run but the perfect one: its value under preference qrels against that under official ones."""
    rows = own_rows(published)
    named = {row.run for row in named_rows(published)}
    by_rank = sorted(range(len(rows)), key=lambda place: rows[place].rank_preference)
    return Points(
        "One board against the other",
        f"{measure}, {published.official} qrels",
        f"{measure}, preference qrels",
        [Point(row.run, _mark(row.official), _mark(row.preference), _ranks(row)) for row in rows],
        named=[place for place in by_rank if rows[place].run in named],
        note=NAMED if len(named) < len(rows) else "",
    )


def _ranks(row: BoardRow) -> str:
    return f"rank {row.rank_official}, then {row.rank_preference}"
