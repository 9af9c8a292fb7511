"""Rank distributions: the same as the plain loop, exact with ties, and untouched by names."""

import numpy as np
import pytest
from scipy.stats import rankdata

from leaderboard.analyses.stability.computation import rank_stability


def reciprocal_ranks(rows, queries, seed=0):
    ranks = np.random.default_rng(seed).integers(1, 15, size=(rows, queries))
    return np.where(ranks <= 10, 1 / ranks, 0.0)


def tags(count):
    return [f"run{number}" for number in range(count)]


def test_ranks_equal_the_plain_loop_in_integers():
    values = reciprocal_ranks(6, 40)
    whole = np.rint(values * 2520).astype(np.int64)
    held = np.zeros((6, 6), dtype=int)
    for drawn in np.random.default_rng(5).integers(0, 40, size=(300, 40)):
        for run, rank in enumerate(rankdata(-whole[:, drawn].sum(axis=1), method="min")):
            held[run, int(rank) - 1] += 1

    found = rank_stability(tags(6), values, rng=np.random.default_rng(5), trials=300, whole=2520)

    np.testing.assert_array_equal(found.held, held)


def test_a_case_by_hand():
    """One run is first on every query; the other two hold the same values in another order."""
    values = np.array([[1.0, 1.0], [0.5, 0.0], [0.0, 0.5]])

    found = rank_stability(tags(3), values, rng=np.random.default_rng(1), trials=2000, whole=2520)

    assert found.ranks.tolist() == [1, 2, 2]
    assert found.shares[0].tolist() == [1, 0, 0]
    # In half of the trials each query is drawn once, so the two tie.
    assert found.tied_trials / 2000 == pytest.approx(0.5, abs=0.05)
    assert found.shares[1, 1] == pytest.approx(0.75, abs=0.05)
    assert found.expected[1] == pytest.approx(2.25, abs=0.05)


def test_equal_runs_tie_in_every_trial_whatever_the_order_of_sums():
    values = np.random.default_rng(3).random((1, 500))

    found = rank_stability(tags(3), np.repeat(values, 3, axis=0), rng=np.random.default_rng(1), trials=50)

    assert found.held[:, 0].tolist() == [50, 50, 50]
    assert found.tied_trials == 50


def test_relabeling_runs_changes_nothing():
    values = reciprocal_ranks(5, 60)
    order = np.array([3, 1, 4, 0, 2])

    first = rank_stability(tags(5), values, rng=np.random.default_rng(2), whole=2520)
    second = rank_stability(
        [f"run{number}" for number in order], values[order], rng=np.random.default_rng(2), whole=2520
    )

    np.testing.assert_array_equal(first.held[order], second.held)
    assert [first.run_tags[i] for i in first.order()] == [second.run_tags[i] for i in second.order()]


def test_more_queries_of_the_same_kind_make_ranks_firmer():
    values = reciprocal_ranks(4, 50)

    once = rank_stability(tags(4), values, rng=np.random.default_rng(2), whole=2520)
    repeated = rank_stability(tags(4), np.tile(values, 20), rng=np.random.default_rng(2), whole=2520)

    np.testing.assert_array_equal(once.ranks, repeated.ranks)
    np.testing.assert_allclose(once.means, repeated.means, rtol=1e-12)
    own = np.arange(4), once.ranks - 1
    assert (repeated.shares[own] >= once.shares[own]).all()


def test_where_lower_is_better_the_smallest_comes_first():
    values = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]])

    found = rank_stability(tags(2), values, rng=np.random.default_rng(2), higher_is_better=False)

    assert found.ranks.tolist() == [1, 2]
    assert found.means.tolist() == [2.0, 6.0]


def test_bounds_hold_the_middle_of_the_trials():
    values = reciprocal_ranks(6, 30)
    found = rank_stability(tags(6), values, rng=np.random.default_rng(2), whole=2520)

    low, high = found.bounds()

    for run in range(6):
        drawn = np.repeat(np.arange(1, 7), found.held[run])
        expected = np.quantile(drawn, [0.025, 0.975], method="inverted_cdf")
        assert abs(low[run] - expected[0]) <= 1
        assert high[run] == expected[1]


def test_no_queries_are_refused():
    with pytest.raises(ValueError, match="needed"):
        rank_stability(tags(2), np.empty((2, 0)), rng=np.random.default_rng(0))
