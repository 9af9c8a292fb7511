"""Replicate boards: what the leaderboard would have been under each of several complete sets of judgments."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.replicates.computation import Replicates, compare_replicates
from leaderboard.analyses.shared.contenders import Flags
from leaderboard.analyses.shared.loaded_contenders import LoadedContenders, load_contenders
from leaderboard.board.standings import DEPTH
from leaderboard.errors import NothingToScore
from leaderboard.output import Analysis, Column, Facts, Figure, Kind, Row, Table
from leaderboard.output.chart import Series, Spans
from leaderboard.output.printed_charts import rows_figure
from leaderboard.output.table import rows_of
from leaderboard.scoring.evaluation import Progress
from tournament.derivation import CountedJudgments, Entrants


def analyse_replicate_boards(asked: Asked, _: Progress | None) -> Analysis:
    """Compare the boards of a campaign's phases, each derived from the judgments of that phase alone.

    The setting ``phases`` defaults to all phases with counted judgments. A phase's pool is the passages that its
    judgments compared. Raises :class:`NothingToScore` for fewer than two phases, an unknown phase, or a phase named
    twice.
    """
    campaign, named = asked.judged, asked.settings["phases"]
    phases = (
        named if isinstance(named, list) else str(named).split()
    )  # a list from a command; text from a page
    known = load_contenders(campaign=campaign, runs=asked.runs, ties=asked.text("ties") or None)
    found = sorted(set(known.phase))
    wanted = phases or found
    if unknown := [phase for phase in wanted if phase not in found]:
        raise NothingToScore(
            f"{campaign.name} has no judgments of the phase {unknown[0]!r}.",
            f"Choose among its phases: {', '.join(map(repr, found))}.",
        )
    if twice := [phase for phase, times in Counter(wanted).items() if times > 1]:
        raise NothingToScore(
            f"The phase {twice[0]!r} is named twice.",
            "Name each phase once.",
        )
    if len(wanted) < 2:
        raise NothingToScore(
            f"One phase of {campaign.name} is not enough to compare.",
            "Name two or more phases, or import judgments with a column phase.",
        )
    best = {phase: best_of_phase(known, phase) for phase in wanted}
    compared = compare_replicates(known.contenders, best)
    facts = known.table_facts(
        measure=f"MRR@{DEPTH}",
        queries=compared.queries,
        labels=(f"phases {', '.join(wanted)}",),
        further=known.rules,
    )
    return replicates_analysis(compared, known.contenders.run_tags, facts)


def best_of_phase(known: LoadedContenders, phase: str) -> Flags:
    """Return which nodes are best answers by the judgments of one phase alone, without challenges."""
    evidence = known.evidence
    judged = evidence.judged.only(np.array([one == phase for one in known.phase], dtype=bool))
    alone = replace(
        evidence, judged=judged, entrants=_compared_entrants(evidence.entrants, judged), contests=[]
    )
    return alone.best(known.contenders)


def _compared_entrants(entrants: Entrants, judged: CountedJudgments) -> Entrants:
    """Return the passages of classes that ``judged`` compares; they are the pool of this replicate."""
    query, left, right = judged.query.tolist(), judged.left.tolist(), judged.right.tolist()
    seen = {*zip(query, left, strict=True), *zip(query, right, strict=True)}
    keys = zip(entrants.query.tolist(), entrants.passage.tolist(), strict=True)
    classes = list(zip(entrants.query.tolist(), entrants.representative.tolist(), strict=True))
    inside = {one for key, one in zip(keys, classes, strict=True) if key in seen}
    return entrants.only(np.array([one in inside for one in classes], dtype=bool))


def replicates_analysis(compared: Replicates, run_tags: Sequence[str], facts: Facts) -> Analysis:
    """Return the analysis: a table of the best answers' overlaps, and the boards side by side."""
    columns = (
        Column("first", "set"),
        Column("second", "against"),
        Column("queries", "queries", Kind.COUNT),
        Column("same", "same best answers", Kind.COUNT),
        Column("touching", "any in common", Kind.COUNT),
        Column("jaccard", "mean overlap", Kind.SHARE),
        Column("tau_b", "τ-b", Kind.MEASURE, "boards"),
        Column("tau_ap", "τ_AP", Kind.MEASURE, "boards"),
        Column("agree", "agree", Kind.COUNT, "pairs of runs"),
        Column("disagree", "disagree", Kind.COUNT, "pairs of runs"),
        Column("tied", "tied", Kind.COUNT, "pairs of runs"),
    )
    overlaps = Table(
        "overlaps",
        "Replicates",
        "Best answers of two sets of judgments (overlap: answers in both over answers in either), and Kendall's τ-b "
        "and τ_AP (the first against the second, ties broken at random) between their boards over the queries that "
        "all sets cover.",
        columns,
        rows_of(
            compared.overlaps,
            columns,
            tau_b=lambda row: row.agreement.tau_b,
            agree=lambda row: row.agreement.agree,
            disagree=lambda row: row.agreement.disagree,
            tied=lambda row: row.agreement.tied,
        ),
        facts,
    )
    boards = Table(
        "boards",
        f"{facts.measure} under each set",
        f"Over the {compared.queries} queries that all sets cover.",
        (Column("run", "run"), *(Column(f"set_{name}", name, Kind.MEASURE) for name in compared.names)),
        tuple(_board_rows(compared, run_tags)),
        facts,
    )
    said = tuple(
        f"{row.first} and {row.second} have the same best answers for {row.same} of {row.queries} queries."
        for row in compared.overlaps
    )
    return Analysis(facts, (overlaps, boards), (_replicates_figure(compared, run_tags, facts, boards),), said)


def _board_rows(compared: Replicates, run_tags: Sequence[str]) -> list[Row]:
    return [
        Row.of(
            run=run_tags[run],
            **{f"set_{name}": means[run] for name, means in zip(compared.names, compared.means, strict=True)},
        )
        for run in _best_first(compared, run_tags)
    ]


def _best_first(compared: Replicates, run_tags: Sequence[str]) -> list[int]:
    """Return the indexes of the runs, by descending value under the first set of judgments."""
    return sorted(range(len(run_tags)), key=lambda run: (-compared.means[0][run], run_tags[run]))


def _replicates_figure(compared: Replicates, run_tags: Sequence[str], facts: Facts, boards: Table) -> Figure:
    """Return a figure of each run's value under each set of judgments, in the order of the first set's board."""
    order = _best_first(compared, run_tags)
    series = [
        Series(name or "(no phase)", [(float(means[run]), None, None) for run in order])
        for name, means in zip(compared.names, compared.means, strict=True)
    ]
    chart = Spans("Replicate boards", facts.measure, [run_tags[run] for run in order], series)
    return rows_figure("boards", "Replicate boards", boards.caption, [chart], boards)
