"""Bootstrap intervals: the same as the plain loop, exact where they can be, and the same every time."""

import numpy as np
import pytest
from scipy import stats

from leaderboard.scoring import intervals
from leaderboard.scoring.intervals import bootstrap_intervals, resample_counts, resampled_means


def reciprocal_ranks(rows, queries, seed=0):
    ranks = np.random.default_rng(seed).integers(1, 15, size=(rows, queries))
    return np.where(ranks <= 10, 1 / ranks, 0.0)


def test_counts_are_resamples_of_the_same_size():
    counts = resample_counts(7, 50, np.random.default_rng(1))

    assert counts.shape == (50, 7)
    assert (counts.sum(axis=1) == 7).all()


def test_means_equal_the_plain_loop():
    values = reciprocal_ranks(3, 40)
    drawn = np.random.default_rng(5).integers(0, 40, size=(200, 40))
    expected = np.array([[row[sample].mean() for sample in drawn] for row in values])

    means = resampled_means(values, rng=np.random.default_rng(5), trials=200)

    np.testing.assert_allclose(means, expected, rtol=1e-12)


def test_the_same_seed_gives_the_same_bits():
    values = reciprocal_ranks(4, 60)

    first, second = (bootstrap_intervals(values, rng=np.random.default_rng(9), whole=2520) for _ in range(2))

    assert first.low.tobytes() == second.low.tobytes()
    assert first.high.tobytes() == second.high.tobytes()


def test_blocks_of_trials_change_nothing(monkeypatch):
    values = reciprocal_ranks(4, 60)
    whole = resampled_means(values, rng=np.random.default_rng(2), whole=2520)
    monkeypatch.setattr(intervals, "BLOCK_BYTES", 16 * 60 * 7)

    in_blocks = resampled_means(values, rng=np.random.default_rng(2), whole=2520)

    assert whole.tobytes() == in_blocks.tobytes()


def test_sums_of_reciprocal_ranks_are_exact_in_any_order_of_queries():
    values = reciprocal_ranks(5, 300)
    counts = resample_counts(300, 100, np.random.default_rng(3))
    integers = [[int(v) for v in row] for row in np.rint(values * 2520)]
    exact = [[sum(int(c) * v for c, v in zip(row, run, strict=True)) for row in counts] for run in integers]

    means = resampled_means(values, rng=np.random.default_rng(3), trials=100, whole=2520)

    np.testing.assert_array_equal(means, np.array(exact) / (2520 * 300))


def test_intervals_are_near_scipys():
    values = reciprocal_ranks(1, 400)

    ours = bootstrap_intervals(values, rng=np.random.default_rng(4), trials=4000)
    theirs = stats.bootstrap(
        (values[0],), np.mean, method="percentile", n_resamples=4000, rng=np.random.default_rng(8)
    ).confidence_interval

    assert ours.low[0] == pytest.approx(theirs.low, abs=0.005)
    assert ours.high[0] == pytest.approx(theirs.high, abs=0.005)


def test_equal_values_have_no_width():
    result = bootstrap_intervals(np.full((1, 30), 0.5), rng=np.random.default_rng(0))

    assert (result.low[0], result.high[0]) == (0.5, 0.5)


def test_no_queries_give_no_interval():
    result = bootstrap_intervals(np.empty((2, 0)), rng=np.random.default_rng(0))

    assert np.isnan(result.low).all()
