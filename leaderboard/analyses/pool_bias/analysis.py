"""Pool bias of a campaign: each run or each team left out in turn."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.pool_bias.computation import (
    LeftOut,
    Node,
    contests_without,
    entrants_without,
    left_out_rows,
    only_from,
)
from leaderboard.analyses.shared.described_runs import groups_to_leave_out
from leaderboard.analyses.shared.loaded_contenders import LoadedContenders, best_flags, load_contenders
from leaderboard.board.standings import DEPTH
from leaderboard.cache.inputs import campaign_inputs, runs_inputs
from leaderboard.cache.kept_analyses import kept_object
from leaderboard.output import Analysis, Column, Facts, Figure, Kind, Table
from leaderboard.output.chart import Series, Spans
from leaderboard.output.printed_charts import rows_figure
from leaderboard.output.table import rows_of
from leaderboard.scoring.evaluation import Progress
from pooling.models import PooledPassage, Run
from pooling.runs.runs import tops_of

QREL = ""
"""The name of the qrel set, and of a deleted run, among a passage's contributors."""


def analyse_pool_bias(asked: Asked, progress: Progress | None) -> Analysis:
    """Return how each run would rank if the pool had been built without it (or without all runs of its team).

    Runs without a team are left out one at a time.
    """
    campaign, runs, by_team = asked.judged, asked.runs, asked.text("by") == "team"
    known = load_contenders(campaign=campaign, runs=runs)
    found = kept_object(
        "pool bias",
        [campaign_inputs(campaign), runs_inputs(runs), by_team],
        Bias,
        lambda: _leave_out(known, runs, by_team, progress),
    )
    facts = known.table_facts(measure=f"MRR@{DEPTH}", queries=found.queries, further=known.rules)
    return bias_analysis(found.rows, facts, by_team=by_team, pooled=campaign.pool_id is not None)


@dataclass(frozen=True)
class Bias:
    """A row for every left-out run, and the number of queries with a best answer if no run is left out."""

    rows: tuple[LeftOut, ...]
    queries: int


def _leave_out(
    known: LoadedContenders, runs: Sequence[Run], by_team: bool, progress: Progress | None
) -> Bias:
    """Leave out each run or team in turn, and derive the best answers and the board again.

    This takes long if there are many runs or teams.
    """
    contributors = brought_by(known, runs)
    before = best_flags(known)
    groups = groups_to_leave_out(runs, by_team=by_team)
    rows: list[LeftOut] = []
    for done, (group, places) in enumerate(groups.items()):
        members = [runs[place].run_tag for place in places]
        dropped = only_from(contributors, members)
        evidence = replace(
            known.evidence,
            entrants=entrants_without(known.evidence.entrants, dropped),
            contests=contests_without(known.evidence.contests, dropped),
        )
        after = evidence.best(known.contenders)
        rows += left_out_rows(
            known.contenders, before, after, group=group, members=members, dropped=len(dropped)
        )
        if progress:
            progress(done + 1, len(groups))
    return Bias(tuple(rows), int(known.contenders.covered(before).sum()))


def brought_by(known: LoadedContenders, runs: Sequence[Run]) -> dict[Node, set[str]]:
    """Return the contributors of each node: run tags, and QREL for the qrel set.

    The contributors are read from the pool's record and, for challenges, from the top passages of the challenging
    runs. A challenge in progress has not contributed anything yet. Imported judgments have no such record, so a
    passage counts as contributed by each of ``runs`` that ranks it first.
    """
    campaign = known.facts.campaign
    brought: dict[Node, set[str]] = {}
    tags = dict(campaign.collection.runs.values_list("pk", "run_tag"))
    rows = PooledPassage.objects.filter(pool=campaign.pool_id).values_list(
        "query_id", "passage_id", "run_ids", "is_qrel"
    )
    for query, passage, run_ids, is_qrel in rows:
        names = brought.setdefault(_node(known, query, passage), set())
        names |= {tags.get(pk, QREL) for pk in run_ids} | ({QREL} if is_qrel else set())
    for run in _runs_beside_pool(known, runs):
        for node in _top_nodes(known, run):
            brought.setdefault(node, set()).add(run.run_tag)
    return brought


def _node(known: LoadedContenders, query: int, passage: int) -> Node:
    return query, known.contenders.represents.get((query, passage), passage)


def _runs_beside_pool(known: LoadedContenders, runs: Sequence[Run]) -> list[Run]:
    """Return the runs whose contributions are not in the pool's record.

    These are the challenging runs, or all ``runs`` if the campaign has no pool.
    """
    campaign = known.facts.campaign
    if campaign.pool_id is None:
        return list(runs)
    tags = {tag for challenge in known.facts.challenges for tag in challenge.run_tags}
    return list(campaign.collection.runs.filter(run_tag__in=tags))


def _top_nodes(known: LoadedContenders, run: Run) -> list[Node]:
    tops = {qid: pids[0] for qid, pids in tops_of(run, 1).items() if pids}
    query_of = {qid: query for query, qid in known.qids.items()}
    passage_of = dict(
        known.facts.campaign.collection.passages.filter(pid__in=set(tops.values())).values_list("pid", "pk")
    )
    found = []
    for qid, pid in tops.items():
        if qid in query_of and pid in passage_of:
            node = _node(known, query_of[qid], passage_of[pid])
            if known.contenders.node(*node) >= 0:
                found.append(node)
    return found


def bias_analysis(rows: Sequence[LeftOut], facts: Facts, *, by_team: bool, pooled: bool) -> Analysis:
    """Return the analysis with one row per run, in the order of the board with all runs."""
    columns = (
        Column("run", "run"),
        *([Column("group", "left out")] if by_team else []),
        Column("dropped", "passages only it contributed", Kind.COUNT),
        Column("changed", "queries with other best answers", Kind.COUNT),
        Column("lost", "queries lost", Kind.COUNT),
        Column("before", "with it", Kind.MEASURE, facts.measure),
        Column("after", "without", Kind.MEASURE, facts.measure),
        Column("rank_before", "with it", Kind.COUNT, "rank"),
        Column("rank_after", "without", Kind.COUNT, "rank"),
        Column("shift", "shift", Kind.SHIFT, "rank"),
        Column("tau_b", "τ-b of the boards", Kind.MEASURE),
    )
    notes = (
        ()
        if pooled
        else ("No pool is on record: a passage counts as contributed by the runs that have it on top.",)
    )
    caption = (
        "Best answers derived again from the judgments among the passages that others contributed. Values are over "
        "the queries that have a best answer both times, and ranks are among all runs."
    )
    ordered = sorted(rows, key=lambda row: (row.rank_before, row.run))
    table = Table("left_out", "Pool bias", caption, columns, rows_of(ordered, columns), facts, notes)
    return Analysis(facts, (table,), (_pool_bias_figure(ordered, facts, table),), (_moves_sentence(ordered),))


def _moves_sentence(rows: Sequence[LeftOut]) -> str:
    moved = [row for row in rows if row.shift]
    if not moved:
        return f"None of the {len(rows)} runs changes rank if the pool is built without it."
    most = max(moved, key=lambda row: (abs(row.shift), row.run))
    places = "place" if abs(most.shift) == 1 else "places"
    return (
        f"{len(moved)} of {len(rows)} runs change rank if the pool is built without them; {most.run} moves most: "
        f"{abs(most.shift)} {places} {'up' if most.shift > 0 else 'down'}."
    )


def _pool_bias_figure(rows: Sequence[LeftOut], facts: Facts, table: Table) -> Figure:
    """Return a figure of each run's value with and without the run in the pool, the best run first."""
    series = [
        Series("pool with it", [(row.before, None, None) for row in rows]),
        Series("pool without it", [(row.after, None, None) for row in rows]),
    ]
    chart = Spans("Pool bias", facts.measure, [row.run for row in rows], series)
    return rows_figure("left_out", "Pool bias", table.caption, [chart], table)
