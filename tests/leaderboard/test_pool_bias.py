"""Leave one run out: what drops, and where it then stands, by hand."""

from __future__ import annotations

from leaderboard.pool_bias import contests_without, entrants_without, left_out, only_from
from tests.leaderboard.field import contenders, entrants, judged
from tournament.contests import Contest
from tournament.derivation import Parameters, derive
from tournament.schedule import Rule, Sides

NODES = [(1, 11), (1, 12), (2, 21), (2, 22)]
FIELD = contenders(
    {"A": {(1, 11): 1, (2, 21): 1}, "B": {(1, 12): 1, (2, 21): 1}, "C": {(1, 12): 2, (2, 22): 1}}, NODES
)
BROUGHT = {(1, 11): {"A"}, (1, 12): {"B", ""}, (2, 21): {"A", "B"}, (2, 22): {"C"}, (3, 31): set()}


def test_only_what_nobody_else_brought_drops():
    assert only_from(BROUGHT, {"A"}) == {(1, 11)}
    assert only_from(BROUGHT, {"A", "B"}) == {(1, 11), (2, 21)}


def best_without(dropped):
    said = judged([(1, 11, 12, 11), (2, 21, 22, 21)])
    return FIELD.best(derive(entrants_without(entrants(NODES), dropped), said, [], Parameters()).outcomes)


def test_a_run_falls_when_its_own_answer_drops():
    """Query 1 goes from A's 11 to B's 12; query 2 stays. A falls from (1 + 1) / 2 to (0 + 1) / 2, below B."""
    dropped = only_from(BROUGHT, {"A"})

    row, *others = left_out(
        FIELD, best_without(()), best_without(dropped), group="A", members=["A"], dropped=len(dropped)
    )

    assert others == []
    assert (row.value_before, row.value_after) == (1.0, 0.5)
    assert (row.rank_before, row.rank_after, row.shift) == (1, 2, -1)
    assert (row.dropped, row.changed, row.lost, row.queries) == (1, 1, 0, 2)


def test_a_query_whose_whole_pool_drops_is_lost():
    dropped = {(2, 21), (2, 22)}

    row = left_out(FIELD, best_without(()), best_without(dropped), group="x", members=["B"], dropped=2)[0]

    assert (row.lost, row.queries, row.value_before) == (1, 1, 0.0)


def test_challenges_lose_the_dropped_of_either_side():
    contest = Contest(
        1, Rule.SINGLE, {1: Sides((11,), (12, 13)), 2: Sides((21,), (22,)), 3: Sides((31,), (32,))}
    )

    kept = contests_without([contest], {(1, 13), (2, 22), (3, 31)})

    assert kept[0].sides == {1: Sides((11,), (12,))}
