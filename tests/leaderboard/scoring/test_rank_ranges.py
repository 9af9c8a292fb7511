"""Ranges of ranks: how often they tell equal runs apart, and that they find real differences."""

import numpy as np
import pytest

from leaderboard.scoring.intervals import resampled_means
from leaderboard.scoring.rank_ranges import rank_ranges


def ranges(values, seed=0, level=0.95):
    resampled = resampled_means(values, rng=np.random.default_rng(seed), trials=500)
    found = rank_ranges(np.nanmean(values, axis=1), resampled, queries=values.shape[1], level=level)
    return list(zip(found.first.tolist(), found.last.tolist(), strict=True))


def test_equal_runs_are_told_apart_about_once_in_twenty_boards():
    """Every board has 45 pairs of equally good runs: one by one, most boards would tell some apart."""
    rng = np.random.default_rng(7)
    wrong = 0
    for seed in range(120):
        queries = rng.normal(0.4, 0.2, 80)
        values = queries + rng.normal(0, 0.1, (10, 80))
        wrong += any(one != (1, 10) for one in ranges(values, seed))

    # 6 of 120 are expected; 15 or more would come about once in 1,000 times.
    assert 1 <= wrong < 15


def test_a_small_difference_on_every_query_is_found_where_intervals_overlap():
    rng = np.random.default_rng(3)
    queries = rng.uniform(0, 1, 100)
    values = np.vstack([queries, queries + 0.02 + rng.normal(0, 0.01, 100)])

    assert ranges(values) == [(2, 2), (1, 1)]


def test_copies_of_a_run_share_its_range():
    values = np.vstack([np.linspace(0, 1, 50)] * 3)

    assert ranges(values) == [(1, 3)] * 3


def test_a_run_without_any_value_is_last():
    values = np.array([[0.1] * 20, [0.9] * 20, [np.nan] * 20]) + np.vstack([np.linspace(0, 0.1, 20)] * 3)
    resampled = resampled_means(values, rng=np.random.default_rng(1), trials=200)

    means = np.array([values[0].mean(), values[1].mean(), np.nan])
    found = rank_ranges(means, resampled, queries=20, level=0.95)

    assert list(zip(found.first.tolist(), found.last.tolist(), strict=True)) == [(2, 2), (1, 1), (3, 3)]


@pytest.mark.parametrize("runs", [0, 1])
def test_few_runs(runs):
    assert ranges(np.ones((runs, 5))) == [(1, 1)] * runs
