"""Two runs head to head: against scipy, and where there is nothing to test."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from leaderboard.analyses.compare.head_to_head import head_to_head

RNG = np.random.default_rng(5)


def test_the_difference_and_its_p_are_scipys():
    a = RNG.uniform(0, 1, 60)
    b = a + RNG.normal(0.05, 0.1, 60)

    found = head_to_head(a, b)

    expected = ttest_rel(b, a)
    assert found.p == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.difference == pytest.approx(float((b - a).mean()))
    assert found.a_wins + found.b_wins + found.tied == found.queries == 60


@pytest.mark.parametrize("seed", range(30))
def test_the_verdict_never_contradicts_its_interval(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0, 1, 25), rng.uniform(0.1, 1.1, 25)

    found = head_to_head(a, b)

    assert bool(found.better) == (found.p <= 0.05) == (not found.low <= 0 <= found.high)


def test_swapping_the_runs_reverses_everything():
    a, b = RNG.uniform(0, 1, 40), RNG.uniform(0.3, 1, 40)

    one, other = head_to_head(a, b), head_to_head(b, a)

    assert (one.difference, one.low, one.p) == pytest.approx((-other.difference, -other.high, other.p))
    assert (one.a_wins, one.b_wins) == (other.b_wins, other.a_wins)
    assert {one.better, other.better} == {"a", "b"}


def test_where_lower_is_better_the_lower_run_wins():
    a = RNG.uniform(5, 6, 30)

    found = head_to_head(a, a - RNG.uniform(1, 2, 30), higher_is_better=False)

    assert (found.better, found.b_wins) == ("b", 30)


def test_queries_without_a_value_for_both_are_left_out():
    found = head_to_head(np.array([1.0, np.nan, 3.0]), np.array([2.0, 5.0, np.nan]))

    assert (found.queries, found.difference) == (1, 1.0)
    assert np.isnan(found.p)
    assert found.better == ""


def test_nothing_in_common_and_no_difference_at_all():
    nothing = head_to_head(np.array([np.nan]), np.array([1.0]))
    same = head_to_head(np.array([0.5, 0.2]), np.array([0.5, 0.2]))

    assert (nothing.queries, nothing.better) == (0, "")
    assert (same.p, same.better, same.tied) == (1.0, "", 2)
