"""Best answers from wins: worked by hand, from the literature, and as properties."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from tests.tournament.cast import ALL_JUDGED_CYCLE, best_of, ladder, standings
from tournament.copeland import Ties, best_of_queries
from tournament.pair_wins import Count, PairWins


def test_the_passage_with_the_most_wins_is_the_best_answer():
    result = standings([4], ladder([2, 0, 1, 3]))

    assert np.flatnonzero(result.best).tolist() == [2]
    assert (result.wins // result.unit).tolist() == [2, 1, 3, 0]
    assert result.closed.tolist() == [True]
    assert result.cycle.tolist() == [False]


def test_a_tie_is_recounted_among_the_tied_only():
    # 0 and 1 win three each of four; between the two, 1 won.
    judgments = [(0, 1, 1), (0, 2, 0), (0, 3, 0), (0, 4, 0), (1, 2, 2), (1, 3, 1), (1, 4, 1)]
    judgments += [(2, 3, 3), *ladder([2, 3, 4])[1:]]

    assert best_of(5, judgments) == {1}
    assert best_of(5, judgments, ties=Ties.KEEP) == {0, 1}


def test_recounting_goes_on_until_nothing_more_drops():
    # First count: 0, 1, 2, 3 have 3 wins of 5. Among them 0 and 1 have 2, then 0 beats 1.
    judgments = [(0, 1, 0), (0, 2, 2), (0, 3, 0), (1, 2, 1), (1, 3, 1), (2, 3, 3)]
    judgments += [(0, 4, 0), (0, 5, 5), (1, 4, 1), (1, 5, 5), (2, 4, 2), (2, 5, 2), (3, 4, 3), (3, 5, 3)]
    judgments += [(4, 5, 4)]

    result = standings([6], judgments)

    assert (result.wins // result.unit).tolist() == [3, 3, 3, 3, 1, 2]
    assert result.tied_at_first.tolist() == [4]
    assert np.flatnonzero(result.best).tolist() == [0]


def test_tied_passages_are_all_best_answers():
    assert best_of(2, [(0, 1, None)]) == {0, 1}


def test_a_tie_without_a_strict_majority_is_no_cycle():
    assert standings([2], [(0, 1, None)]).cycle.tolist() == [False]
    assert standings([3], [(0, 1, None), (1, 2, None), (0, 2, None)]).cycle.tolist() == [False]


def test_three_passages_that_beat_each_other_in_turn_are_a_cycle():
    result = standings([3], ALL_JUDGED_CYCLE)

    assert result.best.all()
    assert result.cycle.tolist() == [True]


def test_a_tied_set_with_a_cycle_in_a_part_of_it_only_is_no_cycle():
    # 0, 1, 2 beat each other in turn; 3 is level with each: none is dropped, and no path leads to 3.
    judgments = [*ALL_JUDGED_CYCLE, (0, 3, None), (1, 3, None), (2, 3, None)]

    result = standings([4], judgments)

    assert result.best.all()
    assert result.cycle.tolist() == [False]


def test_a_pool_of_one_is_closed_and_its_passage_best():
    result = standings([1, 2, 1], [(1, 2, 2)])

    assert result.best.tolist() == [True, False, True, True]
    assert result.closed.all()


def test_a_query_with_a_missing_pair_is_open():
    assert standings([3], [(0, 1, 0)]).closed.tolist() == [False]


def test_a_query_closes_early_when_nobody_can_catch_the_leader():
    # 0 won twice; 1 and 2 could still win one each.
    result = standings([3], [(0, 1, 0), (0, 2, 0)])

    assert result.closed.tolist() == [True]
    assert result.unjudged.tolist() == [0, 1, 1]


def test_a_query_stays_open_when_a_rival_could_still_draw_level():
    # 0 has two wins of two; 1 has one win and one pair left: it could have two.
    assert standings([4], [(0, 1, 0), (0, 2, 0), (1, 2, 1)]).closed.tolist() == [False]


def test_a_half_judged_pair_counts_but_leaves_its_query_open():
    judgments = [(0, 1, 0), (0, 1, 0), (0, 2, 0), (0, 2, 0), (1, 2, 1)]

    wanting_two = standings([3], judgments[:3] + judgments[4:], wanted=2)

    assert wanting_two.closed.tolist() == [False]
    assert np.flatnonzero(wanting_two.best).tolist() == [0]
    assert standings([3], judgments, wanted=2).closed.tolist() == [True]  # nobody can catch 0


def test_a_query_without_passages_is_refused():
    none = np.zeros(0, np.int64)
    pairs = PairWins(none, none, none, none, none, 2)

    with pytest.raises(ValueError, match="at least one node"):
        best_of_queries(np.array([0, 1, 1]), 2, pairs)


def test_the_reference_experiment_gives_592_preference_qrels():
    # Shallow pooling for sparse labels, §5.1: of 500 queries 46 ended in cycles of three passages.
    sizes, judgments, first = [], [], 0
    for query in range(500):
        nodes = list(range(first, first + 4))
        judgments += [(a + first, b + first, p + first) for a, b, p in ALL_JUDGED_CYCLE]
        if query >= 46:
            judgments[-3:] = ladder(nodes[:3])
        judgments += [(node, nodes[3], node) for node in nodes[:3]]
        sizes.append(4)
        first += 4

    result = standings(sizes, judgments)

    assert result.closed.all()
    assert int(result.cycle.sum()) == 46
    assert int(result.best.sum()) == 592


# --- properties -------------------------------------------------------------------------------------------


@st.composite
def tournaments(draw, least=2):
    """Draw (size, judgments) of one query; some pairs are judged several times, some not at all."""
    size = draw(st.integers(least, 6))
    judgments = []
    for a, b in combinations(range(size), 2):
        judgments += [(a, b, p) for p in draw(st.lists(st.sampled_from([a, b, None]), max_size=3))]
    return size, judgments


options = st.fixed_dictionaries({"ties": st.sampled_from(Ties), "count": st.sampled_from(Count)})


def by_definition(size, judgments, ties, count):
    """Apply the rule of docs/methods.md to one query in the simplest form, with fractions and sets."""
    from fractions import Fraction

    shares = {}
    for a, b in combinations(range(size), 2):
        said = [p for left, right, p in judgments if {left, right} == {a, b}]
        if not said:
            continue
        share = sum(Fraction(1) if p == a else Fraction(p is None, 2) for p in said) / len(said)
        if count is Count.MAJORITY:
            share = Fraction((share > Fraction(1, 2)) * 2 + (share == Fraction(1, 2)), 2)
        shares[a, b], shares[b, a] = share, 1 - share
    alive = set(range(size))
    while True:
        wins = {i: sum(shares.get((i, j), 0) for j in alive if j != i) for i in alive}
        still = {i for i in alive if wins[i] == max(wins.values())}
        if ties is Ties.KEEP or still == alive:
            return still, shares
        alive = still


@given(tournaments(), options)
def test_arrays_agree_with_the_rule_in_its_plainest_form(tournament, how):
    size, judgments = tournament

    result = standings([size], judgments, **how)

    best, shares = by_definition(size, judgments, **how)
    assert set(np.flatnonzero(result.best).tolist()) == best
    graph = nx.DiGraph([(a, b) for (a, b), share in shares.items() if share > 1 / 2 and {a, b} <= best])
    graph.add_nodes_from(best)
    assert result.cycle.tolist() == [len(best) > 1 and nx.is_strongly_connected(graph)]


@given(tournaments(), options, st.randoms(use_true_random=False))
def test_relabeling_and_shuffling_change_nothing(tournament, how, random):
    size, judgments = tournament
    names = random.sample(range(size), size)
    relabeled = [(names[a], names[b], None if p is None else names[p]) for a, b, p in judgments]
    random.shuffle(relabeled)
    mirrored = [(b, a, p) if random.random() < 0.5 else (a, b, p) for a, b, p in relabeled]

    assert best_of(size, mirrored, **how) == {names[node] for node in best_of(size, judgments, **how)}


@given(tournaments(), options)
def test_a_passage_that_beats_every_other_is_the_only_best_answer(tournament, how):
    size, judgments = tournament
    newcomer = [(node, size, size) for node in range(size)]

    assert best_of(size + 1, judgments + newcomer, **how) == {size}


@given(tournaments(), options)
def test_a_passage_that_loses_to_every_other_changes_nothing_when_all_is_judged(tournament, how):
    size, judgments = tournament
    newcomer = [(node, size, node) for node in range(size)]

    assert best_of(size + 1, judgments + newcomer, **how) == best_of(size, judgments, **how)


@given(tournaments(), options)
def test_reversing_every_judgment_turns_the_wins_round(tournament, how):
    size, judgments = tournament
    reversed_ = [(a, b, None if p is None else a + b - p) for a, b, p in judgments]

    forth, back = standings([size], judgments, **how), standings([size], reversed_, **how)

    played = np.zeros(size, int)
    for a, b in {(a, b) for a, b, _ in judgments}:
        played[[a, b]] += 1
    assert (forth.wins + back.wins).tolist() == (played * forth.unit).tolist()


@given(st.lists(tournaments(least=1), min_size=1, max_size=5), options)
def test_queries_side_by_side_do_not_touch_each_other(queries, how):
    sizes, together, first = [], [], 0
    for size, judgments in queries:
        together += [(a + first, b + first, None if p is None else p + first) for a, b, p in judgments]
        sizes.append(size)
        first += size

    result = standings(sizes, together, **how)

    alone = [standings([size], judgments, **how) for size, judgments in queries]
    assert result.best.tolist() == [flag for one in alone for flag in one.best.tolist()]
    assert result.closed.tolist() == [bool(one.closed[0]) for one in alone]
    assert result.cycle.tolist() == [bool(one.cycle[0]) for one in alone]


@given(tournaments(), st.sampled_from(Count), st.data())
def test_a_closed_query_keeps_its_best_answer_whatever_the_missing_pairs_say(tournament, count, data):
    size, judgments = tournament
    before = standings([size], judgments, count=count)
    assume(before.closed[0])
    asked = {(a, b) for a, b, _ in judgments}
    missing = [pair for pair in combinations(range(size), 2) if pair not in asked]
    rest = [(a, b, data.draw(st.sampled_from([a, b, None]))) for a, b in missing]

    after = best_of(size, judgments + rest, count=count)

    assert after == set(np.flatnonzero(before.best).tolist())
