"""Leave one run out: what drops, and how the run then ranks, by hand."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings, strategies as st

from leaderboard.analyses.pool_bias.computation import (
    contests_without,
    entrants_without,
    left_out_rows,
    only_from,
)
from tests.leaderboard.field import contenders, entrants, judged
from tournament.contests import Contest
from tournament.derivation import Parameters, derive
from tournament.schedule import Rule, Sides

NODES = [(1, 11), (1, 12), (2, 21), (2, 22)]
FIELD = contenders(
    {"A": {(1, 11): 1, (2, 21): 1}, "B": {(1, 12): 1, (2, 21): 1}, "C": {(1, 12): 2, (2, 22): 1}}, NODES
)
BROUGHT = {(1, 11): {"A"}, (1, 12): {"B", ""}, (2, 21): {"A", "B"}, (2, 22): {"C"}, (3, 31): set()}


def test_only_passages_that_no_other_run_supplied_are_dropped():
    assert only_from(BROUGHT, {"A"}) == {(1, 11)}
    assert only_from(BROUGHT, {"A", "B"}) == {(1, 11), (2, 21)}


def best_without(dropped):
    said = judged([(1, 11, 12, 11), (2, 21, 22, 21)])
    return FIELD.best(derive(entrants_without(entrants(NODES), dropped), said, [], Parameters()).outcomes)


def test_a_run_falls_when_its_own_answer_drops():
    """Query 1 goes from A's 11 to B's 12; query 2 stays. A falls from (1 + 1) / 2 to (0 + 1) / 2, below B."""
    dropped = only_from(BROUGHT, {"A"})

    row, *others = left_out_rows(
        FIELD, best_without(()), best_without(dropped), group="A", members=["A"], dropped=len(dropped)
    )

    assert others == []
    assert (row.before, row.after) == (1.0, 0.5)
    assert (row.rank_before, row.rank_after, row.shift) == (1, 2, -1)
    assert (row.dropped, row.changed, row.lost, row.queries) == (1, 1, 0, 2)


def test_a_query_whose_whole_pool_drops_is_lost():
    dropped = {(2, 21), (2, 22)}

    row = left_out_rows(FIELD, best_without(()), best_without(dropped), group="x", members=["B"], dropped=2)[
        0
    ]

    assert (row.lost, row.queries, row.before) == (1, 1, 0.0)


def test_challenges_lose_the_dropped_of_either_side():
    contest = Contest(
        1, Rule.SINGLE, {1: Sides((11,), (12, 13)), 2: Sides((21,), (22,)), 3: Sides((31,), (32,))}
    )

    kept = contests_without([contest], {(1, 13), (2, 22), (3, 31)})

    assert kept[0].sides == {1: Sides((11,), (12,))}


def bias(world, query, passage, tag, order):
    """Leave each of a random world's runs out, with everything under other names and in another order.

    ``query``, ``passage``, ``tag``: a name there → the name here; ``order``: the runs' places here.
    """
    nodes = [(query[q], passage[p]) for q, p in world["nodes"]]
    runs = [world["runs"][place] for place in order]
    field = contenders(
        {tag[run]: {(query[q], passage[p]): r for (q, p), r in world["ranks"][run].items()} for run in runs},
        nodes,
    )
    rows = [
        (query[q], passage[left], passage[right], passage[best] if best else 0)
        for q, left, right, best in world["judged"]
    ]
    brought = {
        (query[q], passage[p]): {tag.get(run, run) for run in names}
        for (q, p), names in world["brought"].items()
    }
    found = {}
    for run in runs:
        dropped = only_from(brought, {tag[run]})
        before, after = (
            field.best(
                derive(entrants_without(entrants(nodes), gone), judged(rows), [], Parameters()).outcomes
            )
            for gone in ((), dropped)
        )
        (row,) = left_out_rows(field, before, after, group=run, members=[tag[run]], dropped=len(dropped))
        found[run] = replace(row, run=run)
    return found


def world_of(rng):
    """Return five queries of one to three passages, three runs, judgments of some pairs, and contributors."""
    nodes = [(q, 10 * q + place) for q in range(1, 6) for place in range(1 + rng.integers(3))]
    runs = ["A", "B", "C"]
    ranks = {run: {node: int(rng.integers(1, 11)) for node in nodes if rng.random() < 0.6} for run in runs}
    sides = [(a, b) for a in nodes for b in nodes if a[0] == b[0] and a < b and rng.random() < 0.9]
    return {
        "nodes": nodes,
        "runs": runs,
        "ranks": ranks,
        "judged": [(q, a, b, int(rng.choice([a, b, 0]))) for (q, a), (_, b) in sides],
        "brought": {node: {name for name in ("A", "B", "C", "") if rng.random() < 0.4} for node in nodes},
    }


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_relabeling_runs_queries_and_passages_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    world = world_of(rng)
    queries, passages = (sorted({node[part] for node in world["nodes"]}) for part in (0, 1))
    same = [{name: name for name in names} for names in (queries, passages, world["runs"])]
    query = dict(zip(queries, (100 + rng.permutation(len(queries))).tolist(), strict=True))
    passage = dict(zip(passages, (1000 + rng.permutation(len(passages))).tolist(), strict=True))
    tag = dict(zip(world["runs"], rng.permutation(["x", "y", "z"]).tolist(), strict=True))

    assert bias(world, *same, [0, 1, 2]) == bias(world, query, passage, tag, rng.permutation(3).tolist())
