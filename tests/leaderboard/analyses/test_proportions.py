"""Shares with intervals, and the exact test at even odds: by hand and against scipy."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from leaderboard.analyses.shared.proportions import Interval, share_with_bounds, sign_test_p


def test_exact_interval_by_hand():
    """0 of 10: the upper bound solves (1 - p)^10 = 0.025."""
    found = share_with_bounds(0, 10, interval=Interval.EXACT)

    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(1 - 0.025**0.1)


def test_wilson_interval_by_hand():
    """5 of 10: center one half, half width z·sqrt(0.25/10 + z²/400) / (1 + z²/10)."""
    z = stats.norm.ppf(0.975)
    half = z * (0.25 / 10 + z * z / 400) ** 0.5 / (1 + z * z / 10)

    found = share_with_bounds(5, 10)

    assert (found.low, found.high) == (pytest.approx(0.5 - half), pytest.approx(0.5 + half))


def test_a_share_of_nothing_has_no_value():
    found = share_with_bounds(0, 0)

    assert (found.value, found.low, found.high) == (None, None, None)


@pytest.mark.parametrize(("count", "total"), [(3, 2), (-1, 2)])
def test_impossible_counts_are_refused(count, total):
    with pytest.raises(ValueError, match="is not a share"):
        share_with_bounds(count, total)


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), min_size=1, max_size=20))
def test_sign_test_is_scipys(counts):
    wins, losses = np.array(counts).T

    expected = [stats.binomtest(w, w + n).pvalue if w + n else 1.0 for w, n in counts]

    np.testing.assert_allclose(sign_test_p(wins, losses), expected, rtol=1e-9)


@given(st.integers(0, 300), st.integers(0, 300))
def test_swapping_sides_leaves_p(wins, losses):
    assert sign_test_p([wins], [losses]) == sign_test_p([losses], [wins])
