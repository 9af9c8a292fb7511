"""Agreement between judgments of one pair, and side bias: by hand, and changes that must not affect them."""

import numpy as np
import pytest
from scipy import stats

from leaderboard.analyses.judge_agreement.computation import observed_agreement, side_bias
from tournament.pair_wins import PairTally


def tallied(*said):
    """Pairs with (for a, for b, undecided)."""
    for_a, for_b, undecided = np.array(said, dtype=np.int64).T
    nodes = np.arange(len(said)) * 2
    return PairTally(nodes, nodes + 1, for_a, for_b, undecided)


def agreement(judged, query, **options):
    return observed_agreement(judged, np.array(query), rng=np.random.default_rng(1), **options)


def test_agreement_by_hand():
    """3 to 0 agrees in 3 of 3, 2 to 1 in 1 of 3, 1 to 1 in 0 of 1; a pair judged once is ignored."""
    found = agreement(tallied((3, 0, 0), (2, 1, 0), (1, 1, 0), (1, 0, 1)), [1, 1, 2, 2])

    assert (found.pairs, found.queries, found.twos, found.agreeing) == (3, 2, 7, 4)
    assert found.value == pytest.approx(4 / 7)
    assert found.beyond_chance[0] == pytest.approx(1 / 7)
    assert found.error_rate == pytest.approx((1 - (1 / 7) ** 0.5) / 2)


def test_the_interval_draws_whole_queries():
    """Two queries, one in full agreement and one in none: resamples have both, or one of them twice."""
    found = agreement(tallied(*[(2, 0, 0)] * 10, *[(1, 1, 0)] * 10), [1] * 10 + [2] * 10)

    assert (found.value, found.low, found.high) == (0.5, 0.0, 1.0)


def test_one_query_gives_no_interval_and_no_pair_no_value():
    alone = agreement(tallied((2, 0, 0)), [1])
    nothing = agreement(tallied((1, 0, 0)), [1])

    assert (alone.value, alone.low) == (1.0, None)
    assert (nothing.value, nothing.beyond_chance, nothing.error_rate) == (None, (None, None, None), None)


def test_a_known_error_rate_is_found_again():
    rng = np.random.default_rng(4)
    wrong = rng.binomial(2, 0.2, size=20_000)

    found = agreement(tallied(*zip(2 - wrong, wrong, 0 * wrong, strict=True)), np.arange(20_000), trials=10)

    assert found.error_rate == pytest.approx(0.2, abs=0.01)


def test_disagreement_beyond_chance_implies_no_error_rate():
    assert agreement(tallied((1, 1, 0), (1, 1, 0)), [1, 2]).error_rate is None


def test_side_bias_is_scipys_test_corrected_for_all_who_are_tested():
    rows = side_bias(["w1", "w2"], [30, 10], [10, 10], [0, 3])

    assert rows[0].left.value == 0.75
    assert rows[0].p_value == pytest.approx(stats.binomtest(30, 40).pvalue)
    assert rows[0].corrected == pytest.approx(2 * rows[0].p_value)
    assert (rows[1].p_value, rows[1].corrected, rows[1].undecided) == (1.0, 1.0, 3)
