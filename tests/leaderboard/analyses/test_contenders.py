"""Compared passages and their ranks: tops, values, lookups, by hand."""

import numpy as np
import pytest

from leaderboard.analyses.shared.contenders import NOWHERE, Contenders, pair_indexes
from tests.leaderboard.field import contenders, judged

NODES = [(1, 11), (1, 12), (2, 21), (2, 22)]
FIELD = contenders({"A": {(1, 11): 1, (2, 22): 3}, "B": {(1, 12): 1, (1, 11): 2, (2, 21): 1}}, NODES)


def test_tops_are_nodes_or_nowhere():
    assert FIELD.tops.tolist() == [[0, NOWHERE], [1, 2]]


def test_values_are_of_the_first_best_answer():
    best = np.array([True, True, False, True])

    assert (FIELD.values(best) / 2520).tolist() == [[1, pytest.approx(1 / 3)], [1, 0]]
    assert FIELD.covered(np.array([True, True, False, False])).tolist() == [True, False]


def test_judgments_of_strangers_are_left_out():
    pairs = FIELD.judged_pairs(judged([(1, 11, 12, 12), (1, 12, 11, 0), (1, 11, 99, 11), (3, 11, 12, 11)]))

    assert (pairs.a.tolist(), pairs.b.tolist()) == ([0], [1])
    assert (pairs.for_a.tolist(), pairs.for_b.tolist(), pairs.undecided.tolist()) == ([0], [1], [1])


def test_a_member_of_a_class_counts_for_its_class():
    field = Contenders(("A",), np.array([1]), np.array([11]), np.array([[2]]), {(1, 15): 11})

    assert (field.node(1, 15), field.node(1, 16)) == (0, NOWHERE)


def test_pairs_are_found_in_either_order():
    pairs = FIELD.judged_pairs(judged([(1, 11, 12, 12), (2, 21, 22, 21)]))

    found = pair_indexes(pairs, np.array([1, 0, 3, 0, -1]), np.array([0, 2, 2, 0, 1]))

    assert found.tolist() == [0, NOWHERE, 1, NOWHERE, NOWHERE]


def test_ranks_beyond_ten_are_refused():
    with pytest.raises(ValueError, match="0 to 10"):
        contenders({"A": {(1, 11): 11}}, NODES)
