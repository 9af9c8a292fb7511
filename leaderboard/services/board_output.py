"""A board as a table and figures, for `leaderboard`, its page's downloads and the agreement of boards."""

from __future__ import annotations

from typing import Any

import numpy as np

from leaderboard.board import PERFECT, BoardRow, Estimate
from leaderboard.output import Analysis, Column, Facts, Figure, Interval, Kind, Row, Table
from leaderboard.output.chart import Mark, Point, Points, Series, Spans, chart_content
from leaderboard.output.table import best_marked
from leaderboard.services.boards import PublishedBoard, as_dict


def board_analysis(published: PublishedBoard) -> Analysis:
    """The board in every form."""
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
    """What the board was made from."""
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
    """A row a run, the best under preference qrels first."""
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
        f"{facts.measure}{lower} with {published.board.level:.0%} percentile bootstrap intervals over queries; equal "
        "values share a rank, a shift is positive for a run that preference moves up. The perfect run returns the "
        "official qrel of every query and nothing else; it counts in no rank and no correlation. Judged tops: share "
        "of queries whose top passage was judged."
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
    """The rows of runs by tag, without the perfect run."""
    return sorted((row for row in published.board.rows if not row.perfect), key=lambda row: row.run)


def _in_words(published: PublishedBoard) -> str:
    return (
        f"{published.collection}, version {published.version}: {published.mean} of {published.runs:,} runs over "
        f"{published.board.queries:,} queries ({published.open:,} open, {published.singletons:,} singletons) that "
        f"{published.official} covers too (relevant from grade {published.min_grade})."
    )


def agreement_in_words(published: PublishedBoard) -> str:
    """How many pairs of runs both orders have alike."""
    agreement = published.board.agreement
    tau = "not defined" if agreement.tau_b is None else f"{agreement.tau_b:.2f}"
    return (
        f"Official and preference qrels order {agreement.agree:,} pairs of runs alike and {agreement.disagree:,} "
        f"otherwise (Kendall's tau-b {tau})."
    )


def _panels(published: PublishedBoard, facts: Facts, board: Table) -> Figure:
    """One panel a set of labels, the runs in the order of that panel's own board."""
    rows = published.board.rows

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import OFFICIAL, PREFERENCE, short

        panels = canvas.subplots(1, 2)
        for axes, name, color, title in (
            (panels[0], "official", OFFICIAL, f"{published.official} qrels"),
            (panels[1], "preference", PREFERENCE, "preference qrels"),
        ):
            ordered = sorted(rows, key=lambda row: (getattr(row, f"rank_{name}"), not row.perfect, row.run))
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
            axes.invert_yaxis()

    caption = "95 % bootstrap intervals over queries; diamond: the perfect run."
    height = max(2.4, 0.9 + 0.17 * len(rows))
    title = "Official and preference boards"
    chart = Spans(
        title,
        facts.measure,
        [row.run for row in rows],
        [
            Series(f"{published.official} qrels", [_mark(row.official) for row in rows]),
            Series("preference qrels", [_mark(row.preference) for row in rows]),
        ],
        notes=[_ranks(row) for row in rows],
    )
    return Figure("panels", title, caption, facts, draw, board, (chart_content(chart),), 7.0, height)


def _mark(one: Estimate) -> Mark:
    return one.value, one.low, one.high


def _against(published: PublishedBoard, facts: Facts, board: Table) -> Figure:
    """One column against the other; the perfect run would stretch the axis and is left to the panels."""
    rows = own_rows(published)

    def draw(canvas: Any) -> None:
        from leaderboard.output.drawing import OFFICIAL, short

        axes = canvas.subplots()
        x, y = ([getattr(row, name).value for row in rows] for name in ("official", "preference"))
        errors = [
            [
                [max(0.0, one.value - one.low) for one in side],
                [max(0.0, one.high - one.value) for one in side],
            ]
            for side in ([row.official for row in rows], [row.preference for row in rows])
        ]
        axes.errorbar(
            x, y, xerr=errors[0], yerr=errors[1], fmt="o", color=OFFICIAL, elinewidth=0.5, alpha=0.8
        )
        if len(rows) <= 30:
            for row, across, up in zip(rows, x, y, strict=True):
                axes.annotate(
                    short(row.run), (across, up), xytext=(3, 3), textcoords="offset points", fontsize=5
                )
        axes.set_xlabel(f"{facts.measure}, {published.official} qrels")
        axes.set_ylabel(f"{facts.measure}, preference qrels")

    caption = f"One point a run with both 95 % intervals; the {PERFECT} is left out."
    title = "One board against the other"
    charts = (chart_content(against_chart(published, facts.measure)),)
    return Figure("against", title, caption, facts, draw, board, charts, 4.5, 4.0)


def against_chart(published: PublishedBoard, measure: str) -> Points:
    """Every run but the perfect one: its value under preference qrels against that under official ones."""
    return Points(
        "One board against the other",
        f"{measure}, {published.official} qrels",
        f"{measure}, preference qrels",
        [
            Point(row.run, _mark(row.official), _mark(row.preference), _ranks(row))
            for row in own_rows(published)
        ],
    )


def _ranks(row: BoardRow) -> str:
    return f"rank {row.rank_official}, then {row.rank_preference}"
