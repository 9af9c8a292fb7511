"""The chance that a best answer is right: worked cases, and properties that must hold."""

import numpy as np
import pytest

from leaderboard.analyses.label_noise.winner_odds import Rules, odds_of_pools, odds_of_size
from tournament.copeland import Ties


def odds(size, error, trials=4000, **rules):
    return odds_of_size(size, error, Rules(**rules), np.random.default_rng(7), trials)


def test_two_passages_judged_once_are_right_as_often_as_the_judge():
    assert odds(2, 0.2).alone == pytest.approx(0.8, abs=0.02)


def test_three_passages_by_hand():
    """The best alone: it wins both, (1 - e)². Among the best: also in the two cycles, e(1 - e)² and e²(1 - e)."""
    e = 0.3

    found = odds(3, e)

    assert found.alone == pytest.approx((1 - e) ** 2, abs=0.025)
    assert found.among == pytest.approx((1 - e) ** 2 + e * (1 - e) ** 2 + e**2 * (1 - e), abs=0.025)


def test_judges_without_error_always_find_the_best():
    found = odds(6, 0.0, trials=20)

    assert (found.alone, found.among, found.best_answers) == (1, 1, 1)


def test_judges_who_are_always_wrong_never_do():
    assert odds(6, 1.0, trials=20).among == 0


def test_more_judgments_help_and_larger_pools_hurt():
    assert odds(5, 0.3, judgments=5).alone > odds(5, 0.3).alone + 0.1
    assert odds(8, 0.3).alone < odds(3, 0.3).alone - 0.04


def test_kept_ties_leave_more_best_answers():
    assert odds(5, 0.3, ties=Ties.KEEP).best_answers > odds(5, 0.3).best_answers


def test_pools_are_weighed_by_how_many_there_are():
    single, pair, all_of_them = odds_of_pools({2: 3, 1: 1}, 0.2, Rules(), rng=np.random.default_rng(1))

    assert (single.size, single.alone, pair.size, pair.pools) == (1, 1.0, 2, 3)
    assert (all_of_them.pools, all_of_them.alone) == (4, pytest.approx((1 + 3 * pair.alone) / 4))


@pytest.mark.parametrize(("size", "error"), [(0, 0.1), (2, 1.1), (2, -0.1)])
def test_impossible_values_are_refused(size, error):
    with pytest.raises(ValueError, match="error rate"):
        odds(size, error)
