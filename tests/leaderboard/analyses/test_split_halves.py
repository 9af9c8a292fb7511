"""Split halves: the same p-values as scipy, and the three outcomes worked by hand."""

import numpy as np
import pytest
from scipy import stats

from leaderboard.analyses.split_halves.computation import (
    agreement_of,
    draw_halves,
    medians,
    pair_tests,
    split_agreement,
)

CALLS = {
    "sign": lambda x, y: stats.binomtest(int((x > y).sum()), max(int((x != y).sum()), 1)).pvalue,
    "rank-sum": lambda x, y: (
        stats.mannwhitneyu(x, y, use_continuity=False, method="asymptotic", alternative="two-sided").pvalue
    ),
    "signed-rank": lambda x, y: stats.wilcoxon(x, y, correction=False).pvalue,
    "t": lambda x, y: stats.ttest_rel(x, y).pvalue,
}


def ranks_to_ten(runs, queries, seed=0):
    """Return runs that differ a little, so that p-values cover the whole range."""
    rng = np.random.default_rng(seed)
    hard = rng.geometric(0.25, queries)
    ranks = np.maximum(1, hard + rng.integers(-2, 4, (runs, queries)) + (rng.random((runs, queries)) < 0.1))
    return np.where(ranks <= 10, 2520 / ranks, 0.0)


def continuous(runs, queries, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random(queries) + rng.normal(0, 0.3, (runs, queries)) + rng.normal(0, 0.02, (runs, 1))


def partly_tied(runs, queries, seed=0):
    """Return too many different values for tables, but ties everywhere: integers, none below 0."""
    return np.maximum(0, np.rint(100 * continuous(runs, queries, seed) - 30))


def p_values(values, halves):
    """Return (first, second, test) → p-values of all parts."""
    return {
        (batch.first, int(second), test): p[row]
        for batch in pair_tests(values, halves)
        for test, p in batch.p.items()
        for row, second in enumerate(batch.second)
    }


def compare_with_scipy(values, halves):
    found = p_values(values, halves)
    assert len(found) == len(values) * (len(values) - 1) // 2 * 4
    seen = []
    for (first, second, test), p in found.items():
        for part, members in enumerate(halves.T):
            x, y = values[first, members], values[second, members]
            expected = CALLS[test](x, y) if (x != y).any() else 1.0
            assert p[part] == pytest.approx(expected, rel=1e-9, abs=1e-12), (first, second, test, part)
            seen.append(expected)
    return np.array(seen)


@pytest.mark.parametrize("queries", [9, 17, 29, 60, 101, 400])
@pytest.mark.parametrize("make", [ranks_to_ten, continuous, partly_tied])
def test_p_values_are_scipys_call_by_call(make, queries):
    values = make(3, queries)
    halves = draw_halves(queries, 3, np.random.default_rng(queries))

    p = compare_with_scipy(values, halves)

    assert ((p > 0.05) & (p < 0.9)).mean() > 0.2, "the sample should not be of tiny p-values only"


def test_thirteen_queries_are_the_most_that_scipy_permutes():
    compare_with_scipy(ranks_to_ten(2, 27), draw_halves(27, 1, np.random.default_rng(3)))


@pytest.mark.parametrize("make", [continuous, partly_tied])
def test_halves_that_leave_sixteen_bits_are_counted_right(make):
    values = make(2, 33_001)
    assert len(np.unique(values)) > 64, "tables would do"

    compare_with_scipy(values, draw_halves(33_001, 1, np.random.default_rng(1)))


def test_true_ties_of_values_that_are_not_whole_stay_ties():
    """0.3 - 0.2 and 0.2 - 0.1 differ as floats; the same values times ten do not."""
    tenths = np.random.default_rng(1).integers(0, 4, (3, 90)).astype(float)
    tenths = np.hstack([tenths, np.random.default_rng(2).random((3, 70)).round(4) * 10])
    halves = draw_halves(160, 5, np.random.default_rng(3))

    whole, divided = p_values(tenths, halves), p_values(tenths / 10, halves)

    for key, p in whole.items():
        np.testing.assert_allclose(divided[key], p, rtol=1e-9)


def test_equal_runs_differ_in_nothing():
    values = np.repeat(ranks_to_ten(1, 80), 2, axis=0)

    found = split_agreement(values, rng=np.random.default_rng(1), splits=10)

    assert all((one.agree, one.significant) == (1.0, 0.0) for one in found.outcomes)
    assert found.equal_means == found.equal_medians == 1.0


def test_a_constant_difference_is_certain_to_t():
    values = np.vstack([np.full(40, 0.5), np.full(40, 0.1)])

    found = p_values(values, draw_halves(40, 3, np.random.default_rng(0)))

    assert (found[0, 1, "t"] == 0).all()


def test_halves_part_the_queries():
    halves = draw_halves(7, 20, np.random.default_rng(4))

    assert halves.shape == (7, 40)
    assert (halves[:, :20] ^ halves[:, 20:]).all()
    assert set(halves[:, :20].sum(axis=0)) == {3}


HALVES = np.repeat([[True, False], [False, True]], 20, axis=0)
"""One split of 40 queries: the first 20, the last 20."""


def two_runs(first_half, second_half):
    """Return two runs whose differences on the halves are as given, one number per query."""
    apart = np.array([*first_half, *second_half], dtype=float)
    return np.vstack([5 + apart, np.full(40, 5.0)])


SURE, LEANING, NOTHING = [1.0] * 20, [1.0] * 6 + [-1.0] * 4 + [0.0] * 10, [0.0] * 20
"""By the sign test: p = 2⁻¹⁹; p = 0.75 (6 to 4); no difference."""


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        (SURE, SURE, "agree"),
        (LEANING, LEANING, "agree"),
        (NOTHING, NOTHING, "agree"),
        (SURE, LEANING, "partial"),
        (LEANING, [-d for d in LEANING], "partial"),
        (LEANING, NOTHING, "partial"),
        (SURE, [-d for d in SURE], "disagree"),
        (SURE, [-d for d in LEANING], "disagree"),
        (NOTHING, SURE, "disagree"),
    ],
)
def test_outcomes_by_hand(first, second, outcome):
    found = agreement_of(two_runs(first, second), HALVES)

    by_mean = next(one for one in found.outcomes if (one.test, one.direction) == ("sign", "mean"))
    shares = {name: getattr(by_mean, name) for name in ("agree", "partial", "disagree")}
    assert shares == {name: float(name == outcome) for name in shares}
    assert by_mean.significant == float(SURE in (first, second) or [-d for d in SURE] in (first, second))


def test_equal_medians_against_unequal_ones_name_different_runs():
    """Both halves favor the same run by mean; the median of the first half favors the other run."""
    found = agreement_of(two_runs(LEANING, [1.0] * 12 + [-1.0] * 8), HALVES)

    outcomes = {(one.test, one.direction): one for one in found.outcomes}
    assert outcomes["sign", "mean"].agree == 1
    assert outcomes["sign", "median"].partial == 1
    assert found.equal_medians == 0.5
    assert found.equal_means == 0
    assert ("t", "median") not in outcomes


def test_medians_are_numpys():
    values = ranks_to_ten(3, 51)
    halves = draw_halves(51, 4, np.random.default_rng(1))

    expected = [[2 * np.median(row[part]) for part in halves.T] for row in values]

    np.testing.assert_array_equal(medians(values, halves), expected)


def test_relabeling_runs_and_queries_changes_nothing():
    values = ranks_to_ten(5, 80)
    halves = draw_halves(80, 10, np.random.default_rng(1))
    runs, queries = np.random.default_rng(2).permutation(5), np.random.default_rng(3).permutation(80)

    assert agreement_of(values[runs][:, queries], halves[queries]) == agreement_of(values, halves)


def test_duplicating_every_query_leaves_directions_and_makes_differences_surer():
    values = ranks_to_ten(5, 80)
    halves = draw_halves(80, 10, np.random.default_rng(1))

    once = agreement_of(values, halves)
    twice = agreement_of(np.repeat(values, 2, axis=1), np.repeat(halves, 2, axis=0))

    assert (once.equal_means, once.equal_medians) == (twice.equal_means, twice.equal_medians)
    for before, after in zip(once.outcomes, twice.outcomes, strict=True):
        assert after.significant >= before.significant


def test_steps_of_a_measure_are_taken_as_integers():
    values = ranks_to_ten(4, 90)

    whole = split_agreement(values / 2520, rng=np.random.default_rng(1), whole=2520)

    assert whole == split_agreement(values, rng=np.random.default_rng(1))


def test_progress_counts_pairs():
    seen = []

    split_agreement(
        ranks_to_ten(4, 30),
        rng=np.random.default_rng(1),
        splits=3,
        progress=lambda done, total: seen.append((done, total)),
    )

    assert seen[-1] == (6, 6)


def test_too_little_is_refused():
    with pytest.raises(ValueError, match="two runs"):
        split_agreement(np.ones((1, 20)), rng=np.random.default_rng(1))
