"""Replicate boards: overlap of best answers and agreement of boards, by hand."""

import numpy as np
import pytest

from leaderboard.analyses.replicates.computation import compare_replicates
from tests.leaderboard.field import contenders

NODES = [(1, 11), (1, 12), (2, 21), (2, 22), (3, 31), (3, 32)]
FIELD = contenders(
    {"A": {(1, 11): 1, (2, 21): 1, (3, 31): 1}, "B": {(1, 12): 1, (2, 21): 2, (2, 22): 1, (3, 32): 1}}, NODES
)


def best(*nodes):
    return np.isin([passage for _, passage in NODES], nodes)


def test_two_replicates_by_hand():
    """The same on query 1, in part on 2, and only the first covers 3."""
    found = compare_replicates(FIELD, {"I": best(11, 21, 31), "II": best(11, 21, 22)})

    overlap = found.overlaps[0]
    assert (overlap.queries, overlap.same, overlap.touching) == (2, 1, 2)
    assert overlap.jaccard == pytest.approx((1 + 0.5) / 2)
    # Under I: A has 1 and 1, B has 0 and one half; under II: A has 1 and 1, B has 0 and 1.
    assert found.means == (pytest.approx((1, 0.25)), pytest.approx((1, 0.5)))
    assert (overlap.agreement.agree, overlap.tau_ap) == (1, 1.0)


def test_opposite_boards_disagree():
    found = compare_replicates(FIELD, {"I": best(11, 21, 31), "II": best(12, 22, 32)})

    assert (found.overlaps[0].same, found.overlaps[0].touching) == (0, 0)
    assert (found.overlaps[0].agreement.tau_b, found.overlaps[0].tau_ap) == (-1.0, -1.0)


def test_every_two_of_three_are_compared():
    found = compare_replicates(FIELD, {"I": best(11), "II": best(11), "III": best(12)})

    assert [(row.first, row.second, row.same) for row in found.overlaps] == [
        ("I", "II", 1),
        ("I", "III", 0),
        ("II", "III", 0),
    ]
