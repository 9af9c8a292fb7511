"""Tests equal scipy's on mid-range p-values; ties, exact values and undefined cases."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from leaderboard.analyses.compare import significance
from leaderboard.analyses.compare.significance import (
    bonferroni,
    mean_interval,
    paired_t,
    rank_sum,
    reciprocal_differences,
    share_interval,
    sign_test,
    signed_rank,
)

SIZES = (9, 26, 53, 400)


def drawn_ranks(seed: int, queries: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ranks to 10 of two similar runs; 0 is unanswered."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 11, queries)
    b = np.where(rng.random(queries) < 0.5, a, rng.integers(0, 11, queries))
    return a, b


def whole(ranks: np.ndarray) -> np.ndarray:
    """Return RR@10 times 2520."""
    return np.array([2520 // rank if rank else 0 for rank in ranks.tolist()])


@pytest.mark.parametrize("queries", SIZES)
@pytest.mark.parametrize("seed", range(6))
def test_naive_tests_equal_scipys(seed, queries):
    a, b = drawn_ranks(seed, queries)
    change = reciprocal_differences(a, b)
    ours = [test.p for test in (rank_sum(a, b), signed_rank(change), paired_t(change))]

    x, y = whole(a), whole(b)
    theirs = [
        stats.mannwhitneyu(x, y, use_continuity=False, method="asymptotic").pvalue,
        stats.wilcoxon(y - x, zero_method="wilcox").pvalue,
        stats.ttest_rel(y, x).pvalue,
    ]

    assert ours == pytest.approx(theirs, rel=1e-9)


def test_the_compared_p_values_are_of_every_size():
    found = []
    for seed, queries in product(range(6), SIZES):
        change = reciprocal_differences(*drawn_ranks(seed, queries))
        found += [signed_rank(change).p, paired_t(change).p]

    assert sum(p < 0.05 for p in found) >= 2
    assert sum(0.1 < p < 0.9 for p in found) >= 20


def test_equal_differences_of_reciprocal_ranks_tie_at_any_depth():
    a, b = np.array([3, 2, 60, 30, 0]), np.array([6, 3, 30, 20, 6])  # ±1/6 twice; 1/60 twice; 1/6 again

    change = reciprocal_differences(a, b)

    assert change[0] == change[1] == -change[4]
    assert change[2] == change[3]
    assert (1 / 3 - 1 / 6) != (1 / 2 - 1 / 3)  # floats break the tie


def test_floats_would_have_given_another_p():
    a, b = drawn_ranks(0, 400)
    floats = np.where(b > 0, 1 / np.maximum(b, 1), 0) - np.where(a > 0, 1 / np.maximum(a, 1), 0)

    assert signed_rank(reciprocal_differences(a, b)).p != pytest.approx(
        stats.wilcoxon(floats, zero_method="wilcox").pvalue, rel=1e-6
    )


@pytest.mark.parametrize("differences", [[1, 1, -2, 3, 3, 3], [5, -1, 0, 2, 2, -2, 7, 7], [1, 2, 3, -4, 5]])
def test_the_exact_p_counts_every_assignment_of_signs(differences):
    values = np.array(differences)
    kept = values[values != 0]
    ranks = stats.rankdata(np.abs(kept))
    sums = [
        sum(r for r, up in zip(ranks, signs, strict=True) if up)
        for signs in product([0, 1], repeat=len(kept))
    ]
    seen = ranks[kept > 0].sum()
    extreme = sum(abs(s - ranks.sum() / 2) >= abs(seen - ranks.sum() / 2) for s in sums)

    assert signed_rank(values).exact == pytest.approx(extreme / len(sums))


def test_the_exact_p_is_scipys_without_ties():
    values = np.array([3, -7, 12, 15, -1, 20, 22, 31, -5, 40, 41, 43, -9, 50])

    found = signed_rank(values)

    assert found.exact == pytest.approx(stats.wilcoxon(values, method="exact").pvalue)
    assert found.p == pytest.approx(found.exact)
    assert math.isnan(signed_rank(np.arange(1, 60)).exact)


def test_what_shows_no_difference_has_p_1_and_what_is_not_defined_has_none():
    same = np.zeros(5, np.int64)

    assert (signed_rank(same).p, paired_t(same).p, rank_sum(same, same).p, sign_test(0, 0).p) == (1, 1, 1, 1)
    assert math.isnan(paired_t(np.array([1, 1, 1])).p)  # t is infinite, however few they are
    assert math.isnan(paired_t(np.array([4])).p)
    assert math.isnan(signed_rank(np.empty(0)).p)
    assert not paired_t(np.array([1, 1])).significant(1.0)


@pytest.mark.parametrize(("a", "b"), [(3, 10), (10, 3), (5, 5), (0, 6)])
def test_the_sign_test_is_the_exact_binomial(a, b):
    tail = sum(math.comb(a + b, k) for k in range(max(a, b), a + b + 1)) / 2 ** (a + b)

    assert sign_test(a, b).p == pytest.approx(min(1, 2 * tail))
    assert sign_test(a, b).favors == (b > a) - (b < a)


def test_intervals_leave_out_zero_just_when_their_test_rejects():
    agreed = []
    for seed, queries in product(range(20), (12, 60)):
        a, b = drawn_ranks(seed, queries)
        change = reciprocal_differences(a, b)
        interval = mean_interval(change, 0.7)
        agreed.append((interval.low > 0 or interval.high < 0, paired_t(change).p < 0.3))
        only_a, only_b = int(((a > 0) & (b == 0)).sum()), int(((b > 0) & (a == 0)).sum())
        if only_a + only_b:
            share = share_interval(only_a, only_b, queries, 0.7)
            agreed.append((share.low > 0 or share.high < 0, sign_test(only_a, only_b).p < 0.3))

    assert all(one == other for one, other in agreed)
    assert {True, False} == {one for one, _ in agreed}


def test_a_mean_interval_is_students():
    values = np.array([1.0, 4.0, -2.0, 3.0])
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)

    found = mean_interval(values, 0.95)

    assert (found.value, found.low, found.high) == pytest.approx((1.5, expected.low, expected.high))


def test_bonferroni_stops_at_one_and_keeps_what_is_not_defined():
    assert bonferroni(0.02, 3) == pytest.approx(0.06)
    assert bonferroni(0.5, 3) == 1
    assert math.isnan(bonferroni(math.nan, 3))


@pytest.mark.parametrize("seed", range(4))
def test_swapping_the_runs_mirrors_and_the_order_of_queries_changes_nothing(seed):
    a, b = drawn_ranks(seed, 53)
    order = np.random.default_rng(seed).permutation(53)
    for one in (significance.rank_sum, lambda x, y: signed_rank(reciprocal_differences(x, y))):
        forth, back, shuffled = one(a, b), one(b, a), one(a[order], b[order])

        assert (forth.p, forth.favors) == (pytest.approx(back.p), -back.favors)
        assert forth.p == pytest.approx(shuffled.p)
