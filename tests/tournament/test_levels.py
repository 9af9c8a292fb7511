"""Levels of one query's judgments: cases worked by hand, and properties of any judgments."""

from itertools import chain, combinations, pairwise

import networkx as nx
import pytest
from hypothesis import given, strategies as st

from tournament.levels import preference_levels


def won(*pairs: tuple[int, int]) -> list[tuple[int, int, int]]:
    """Return pairs in which the first passage was preferred."""
    return [(a, b, 1) for a, b in pairs]


def level(*pairs: tuple[int, int]) -> list[tuple[int, int, int]]:
    return [(a, b, 0) for a, b in pairs]


LADDER = list(combinations([1, 2, 3, 4], 2))


@pytest.mark.parametrize(
    ("best", "leads", "expected"),
    [
        ([1], won(*LADDER), [[1], [2], [3], [4]]),
        # The order of a pair's passages says nothing, only who was ahead.
        ([1], [(b, a, -2) for a, b in LADDER], [[1], [2], [3], [4]]),
        # 2, 3 and 4 beat each other in a circle.
        ([1], won((1, 2), (1, 3), (1, 4), (2, 3), (3, 4), (4, 2)), [[1], [2, 3, 4]]),
        # Several best answers share a level, even if single pairs order them.
        ([1, 2], won((1, 2), (1, 3), (2, 3)), [[1, 2], [3]]),
        # The best answer by wins lost a pair: it stays on top, and no chain passes through it.
        ([1], won((2, 1), (1, 3), (1, 4), (3, 4)), [[1], [2, 3, 4]]),
        # A level pair is one level, together with every passage that other pairs put between the two.
        ([1], won((1, 2), (1, 3), (1, 4), (2, 4), (3, 4)) + level((2, 3)), [[1], [2, 3], [4]]),
        ([1], won((1, 2), (1, 3), (1, 4), (2, 3), (3, 4)) + level((2, 4)), [[1], [2, 3, 4]]),
        # 2 and 4 were not compared, but 2 beat 3 and 3 beat 4.
        ([1], won((1, 2), (1, 3), (1, 4), (2, 3), (3, 4)), [[1], [2], [3], [4]]),
        # 5 lost to the best answer and met nobody else: it is not ordered against the others.
        ([1], won(*LADDER, (1, 5)), [[1], [2, 3, 4, 5]]),
        # 5 beat 4 and met no other: it can be anywhere above 4.
        ([1], won(*LADDER, (1, 5), (5, 4)), [[1], [2, 3, 5], [4]]),
        ([7], [], [[7]]),
    ],
)
def test_levels_worked_by_hand(best, leads, expected):
    assert preference_levels(best, leads) == expected


PAIRS = list(combinations(range(1, 8), 2))
# None: nobody compared the two. One short list a case keeps drawing cheap on a busy machine.
said = st.lists(st.sampled_from([None, -1, 0, 1]), min_size=len(PAIRS), max_size=len(PAIRS))
cases = st.tuples(
    st.sampled_from([{1}, {1, 2}, {1, 2, 3}]),
    said.map(lambda leads: [(a, b, n) for (a, b), n in zip(PAIRS, leads, strict=True) if n is not None]),
)


def above(best, leads) -> set[tuple[int, int]]:
    """Return which passages rank above which by definition: a chain down and none back."""
    graph = nx.DiGraph()
    for a, b, lead in leads:
        if not {a, b} & set(best):
            graph.add_edges_from([(a, b)] * (lead >= 0) + [(b, a)] * (lead <= 0))
    chains = {(a, b) for a in graph for b in nx.descendants(graph, a)}
    return {(a, b) for a, b in chains if (b, a) not in chains}


@given(cases)
def test_every_two_passages_on_different_levels_were_ordered_by_people(case):
    best, leads = case
    first, *others = preference_levels(best, leads)

    ordered = above(best, leads)
    assert first == sorted(best)
    assert sorted([*first, *chain.from_iterable(others)]) == sorted(
        best | {one for a, b, _ in leads for one in (a, b)}
    )
    for upper, lower in combinations(others, 2):
        assert {(a, b) for a in upper for b in lower} <= ordered


@given(cases)
def test_no_level_could_be_two(case):
    """A level below the first holds together by passages that are not in order."""
    best, leads = case
    ordered = above(best, leads)

    for passages in preference_levels(best, leads)[1:]:
        loose = nx.Graph()
        loose.add_nodes_from(passages)
        loose.add_edges_from((a, b) for a, b in combinations(passages, 2) if not {(a, b), (b, a)} & ordered)
        assert nx.is_connected(loose)


@given(cases, st.permutations(range(1, 8)), st.randoms(use_true_random=False))
def test_other_names_and_another_order_of_pairs_change_nothing(case, names, order):
    best, leads = case
    name = dict(zip(range(1, 8), names, strict=True))
    renamed = [(name[b], name[a], -lead) for a, b, lead in leads]
    order.shuffle(renamed)

    found = preference_levels({name[one] for one in best}, renamed)

    assert found == [sorted(name[one] for one in level) for level in preference_levels(best, leads)]


@given(st.lists(st.sampled_from([-1, 1]), min_size=15, max_size=15))
def test_without_level_pairs_a_complete_tournament_parts_into_its_components(signs):
    leads = [(a, b, sign) for (a, b), sign in zip(combinations(range(2, 8), 2), signs, strict=True)]
    graph = nx.DiGraph([(a, b) if sign > 0 else (b, a) for a, b, sign in leads])

    found = preference_levels([1], [*leads, *won(*((1, one) for one in range(2, 8)))])

    assert sorted(map(sorted, nx.strongly_connected_components(graph))) == sorted(found[1:])
    for upper, lower in pairwise(found[1:]):
        assert graph.has_edge(upper[0], lower[0])
