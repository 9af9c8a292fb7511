"""Two boards side by side: their agreement, the runs that move most, and a plot of one against the other."""

from dataclasses import asdict, replace

import numpy as np

from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.shared.combinations import (
    Combination,
    combinations,
    facts_of_combinations,
    labels_or_usual,
    other_labels,
)
from leaderboard.analyses.shared.described_runs import types_of
from leaderboard.analyses.two_boards.computation import TwoBoards, two_boards
from leaderboard.analyses.two_boards.figure import boards_figure
from leaderboard.errors import NothingToScore, WrongSetting
from leaderboard.output import Analysis, Column, Facts, Kind, Row, Table, Value
from leaderboard.scoring.evaluation import Progress

MOVED_MOST = 10


def analyse_two_boards(asked: Asked, progress: Progress | None) -> Analysis:
    """Compare two boards, each of one set of labels and one measure, over the queries that both sets cover.

    The figure names the runs in ``highlight`` (run tags), by default the top runs and the runs that move most. It
    colors runs by the detail ``by``, such as their subtask. Raises the errors of ``combinations``, and WrongSetting
    if both boards are the same or a highlighted run is not on them. Raises NothingToScore if the two sets of labels
    have no query in common.
    """
    collection, runs, p = asked.collection, asked.runs, asked.number("p")
    chosen = labels_or_usual(collection, asked.text("qrels"))
    labels = (chosen, other_labels(collection, chosen, asked.text("against")))
    measures = (asked.text("measure"), asked.text("against_measure") or asked.text("measure"))
    highlight, by = asked.several("highlight"), asked.text("by")
    types = types_of(collection, runs, by)[1] if by else []
    sides = [
        combinations(
            collection=collection,
            runs=runs,
            labels=[name],
            query_sets=["all"],
            measures=measure,
            progress=progress,
        )[0]
        for name, measure in zip(labels, measures, strict=True)
    ]
    one, two = sides
    if (one.labels.name, one.measure) == (two.labels.name, two.measure):
        raise WrongSetting(
            f"Both boards use the same labels and measure: {one.name}.",
            "Choose other labels or another measure for the second board.",
        )
    for tag in highlight:
        if tag not in one.run_tags:
            raise WrongSetting(
                f"{tag} is not among the compared runs.", "Highlight one of the compared runs."
            )
    first, second = _on_common_queries(one, two)
    found = two_boards(first.values.mean(axis=1), second.values.mean(axis=1), p=p)
    facts = facts_of_combinations(collection, [first, second], seed=None, further=(("RBO's p", f"{p:g}"),))
    names = (one.name, two.name)
    left_out = len(set(one.qids) ^ set(two.qids))
    board = _both_boards_table(found, first.run_tags, names, facts, left_out)
    return Analysis(
        facts=facts,
        tables=(_two_boards_agreement(found, names, facts, p), _moves_table(board), board),
        figures=(boards_figure(found, first.run_tags, names, board, highlight, types),),
        sentences=(_agreement_sentence(found, names, p),),
    )


def _on_common_queries(one: Combination, two: Combination) -> tuple[Combination, Combination]:
    place = {qid: column for column, qid in enumerate(two.qids)}
    common = [(column, place[qid]) for column, qid in enumerate(one.qids) if qid in place]
    if not common:
        raise NothingToScore(
            f"{one.labels.name} and {two.labels.name} have no query in common.", "Choose other labels."
        )
    qids = tuple(one.qids[column] for column, _ in common)
    x, y = np.array(common).T
    return replace(one, values=one.values[:, x], qids=qids), replace(two, values=two.values[:, y], qids=qids)


def agreement_columns(first: str, second: str) -> tuple[Column, ...]:
    """Return the columns for the agreement of two boards. ``first`` and ``second`` are keys of the τ_AP columns."""
    return (
        Column("tau_b", "τ-b", Kind.MEASURE),
        Column(first, "first by second", Kind.MEASURE, "τ_AP"),
        Column(second, "second by first", Kind.MEASURE, "τ_AP"),
        Column("rbo", "RBO", Kind.MEASURE),
        Column("agree", "agree", Kind.COUNT, "pairs of runs"),
        Column("disagree", "disagree", Kind.COUNT, "pairs of runs"),
        Column("tied", "tied", Kind.COUNT, "pairs of runs"),
    )


def agreement_cells(found: TwoBoards, first: str, second: str) -> dict[str, Value]:
    """Return the cells of the columns from :func:`agreement_columns`."""
    taus = {first: found.tau_ap_first, second: found.tau_ap_second}
    return {**taus, "rbo": found.overlap, **asdict(found.kendall)}


def agreement_caption(p: float) -> str:
    """Return a caption that explains the measures of two boards' agreement. ``p`` is the persistence of RBO."""
    return (
        "Kendall's τ-b; τ_AP (Yilmaz et al. 2008; ties broken at random) of either board with the other one as the "
        "reference, which gives more weight to the top of the board that it evaluates; extrapolated rank-biased "
        f"overlap (RBO, Webber et al. 2010) with p = {p:g}."
    )


def _two_boards_agreement(found: TwoBoards, names: tuple[str, str], facts: Facts, p: float) -> Table:
    columns = (
        Column("first", "first board"),
        Column("second", "second board"),
        *agreement_columns("tau_ap_first", "tau_ap_second"),
    )
    cells = agreement_cells(found, "tau_ap_first", "tau_ap_second")
    row = Row({"first": names[0], "second": names[1], **cells})
    return Table("agreement", "Agreement of the boards", agreement_caption(p), columns, (row,), facts)


def _both_boards_table(
    found: TwoBoards, run_tags: list[str], names: tuple[str, str], facts: Facts, left_out: int
) -> Table:
    columns = (
        Column("run", "run"),
        Column("first", "value", Kind.MEASURE, names[0]),
        Column("first_rank", "rank", Kind.COUNT, names[0]),
        Column("second", "value", Kind.MEASURE, names[1]),
        Column("second_rank", "rank", Kind.COUNT, names[1]),
        Column("shift", "shift", Kind.SHIFT),
    )
    rows = [
        Row.of(
            run=tag,
            first=float(found.first[place]),
            first_rank=int(found.first_ranks[place]),
            second=float(found.second[place]),
            second_rank=int(found.second_ranks[place]),
            shift=int(found.shifts[place]),
        )
        for place, tag in sorted(
            enumerate(run_tags), key=lambda one: (int(found.first_ranks[one[0]]), one[1])
        )
    ]
    caption = (
        "Means over the queries that both labels cover. Equal values share a rank. A shift is positive for a run "
        "that ranks higher on the second board."
    )
    notes = (
        (f"Queries left out because only one of the labels covers them: {left_out:,}.",) if left_out else ()
    )
    return Table("boards", "Both boards", caption, columns, tuple(rows), facts, notes=notes)


def _moves_table(board: Table) -> Table:
    """Return the table of both boards reduced to the runs that move most, up or down, largest move first."""
    tags = [row.values["run"] for row in board.rows]
    shifts = np.array([row.values["shift"] for row in board.rows])
    order = np.lexsort((np.arange(len(tags)), -np.abs(shifts)))
    rows = tuple(board.rows[place] for place in order[:MOVED_MOST] if shifts[place])
    return replace(board, key="moves", title="Runs that move most", rows=rows)


def _agreement_sentence(found: TwoBoards, names: tuple[str, str], p: float) -> str:
    def said(value: float | None) -> str:
        return "not defined" if value is None else f"{value:.2f}"

    return (
        f"{names[0]} and {names[1]} order {found.kendall.agree:,} pairs of runs alike and "
        f"{found.kendall.disagree:,} otherwise: τ-b {said(found.kendall.tau_b)}, τ_AP {said(found.tau_ap_first)} "
        f"and {said(found.tau_ap_second)}, RBO (p = {p:g}) {said(found.overlap)}."
    )
