"""Kendall's τ-b: by hand, against scipy and against the published figure."""

import csv
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import kendalltau

from leaderboard.scoring.agreement import competition_ranks, kendall, rank_biased_overlap, tau_ap

few_values = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=30)


def test_same_order_agrees_wholly():
    result = kendall([0.1, 0.2, 0.3], [1, 5, 9])

    assert (result.tau_b, result.agree, result.disagree) == (1.0, 3, 0)


def test_a_tie_in_one_order_by_hand():
    # Pairs: (1,2) tied in x; (1,3) and (2,3) agree. Untied: 2 in x, 3 in y; 2 / sqrt(6).
    result = kendall([1, 1, 2], [1, 2, 3])

    assert result.tau_b == pytest.approx(2 / 6**0.5)
    assert (result.agree, result.disagree, result.tied) == (2, 0, 1)


@given(few_values)
def test_equals_scipy_with_any_ties(values):
    x, y = zip(*values, strict=True)

    expected = kendalltau(x, y, variant="b").statistic

    tau_b = kendall(x, y).tau_b
    assert (tau_b is None) == bool(np.isnan(expected))
    if tau_b is not None:
        assert tau_b == pytest.approx(expected, abs=1e-12)


@given(few_values)
def test_reversing_one_order_mirrors(values):
    x, y = (np.array(side) for side in zip(*values, strict=True))

    there, back = kendall(x, y), kendall(x, -y)

    assert (there.agree, there.disagree, there.tied) == (back.disagree, back.agree, back.tied)


@pytest.mark.parametrize("values", [[], [0.5], [0.5, 0.5, 0.5]])
def test_undefined_correlation_is_none(values):
    assert kendall(values, values).tau_b is None


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="one value per run"):
        kendall([1, 2], [1, 2, 3])


def test_values_must_be_finite():
    with pytest.raises(ValueError, match="finite"):
        kendall([1, float("nan")], [1, 2])


def test_published_boards_of_shallow_pooling(shared_data):
    """[SP] Table 3, the 500 selected queries: 99 pairs of runs agree, 21 do not, τ = 0.65."""
    with (shared_data / "published" / "arabzadeh2022_table3.tsv").open() as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["run"] != "perfect"]
    official = [float(row["mrr10_selected_official"]) for row in rows]
    preference = [float(row["mrr10_selected_preference"]) for row in rows]

    result = kendall(official, preference)

    assert (result.agree, result.disagree) == (99, 21)
    assert round(result.tau_b, 2) == 0.65


def plain_tau_ap(evaluated, reference):
    """Yilmaz et al. 2008, equation 2, as a loop over an order without ties."""
    order = sorted(range(len(evaluated)), key=lambda item: -evaluated[item])
    shares = [
        sum(reference[above] > reference[item] for above in order[:place]) / place
        for place, item in enumerate(order)
        if place
    ]
    return 2 * sum(shares) / (len(order) - 1) - 1


def test_tau_ap_by_hand():
    """Order a b c against b a c: b has a wrongly above it (0 of 1), c has both correctly (2 of 2)."""
    assert tau_ap([3, 2, 1], [2, 3, 1]) == pytest.approx(2 / 2 * (0 + 1) - 1)
    # The same mistake at the bottom costs less: b (1 of 1), c has one of two correctly above.
    assert tau_ap([3, 2, 1], [3, 1, 2]) == pytest.approx(2 / 2 * (1 + 0.5) - 1)


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_tau_ap_without_ties_is_the_papers_sum(evaluated, reference):
    assert tau_ap(evaluated, reference) == pytest.approx(plain_tau_ap(evaluated, reference))


def broken(values, order):
    """The values with their ties broken in this order."""
    return [value + place * 1e-3 for value, place in zip(values, order, strict=True)]


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=4))
def test_tied_tau_ap_is_the_mean_over_all_ways_of_breaking_ties(values):
    x, y = zip(*values, strict=True)
    orders = list(permutations(range(len(x))))

    tries = [plain_tau_ap(broken(x, first), broken(y, second)) for first in orders for second in orders]

    assert tau_ap(x, y) == pytest.approx(np.mean(tries), abs=1e-9)


def test_tau_ap_of_one_run_is_not_defined():
    assert tau_ap([0.5], [0.1]) is None


@pytest.mark.parametrize(("first", "second"), [([1, 2], [1]), ([1, float("nan")], [1, 2])])
def test_tau_ap_refuses_what_kendall_refuses(first, second):
    with pytest.raises(ValueError, match=r"one value per run|finite"):
        tau_ap(first, second)


def test_rank_biased_overlap_by_hand():
    """a b c against b a c with p = 1/2: overlaps 0/1, 2/2, 3/3; 1/8 + 1/4 + 1/8."""
    assert rank_biased_overlap([3, 2, 1], [2, 3, 1], p=0.5) == pytest.approx(1 / 2)


def test_tied_runs_overlap_from_the_first_rank_of_their_group():
    """a and b tie on the first board. Depth 1: 2 · 1 / (2 + 1); depth 2: 2 · 2 / 4; depth 3: 1."""
    value = rank_biased_overlap([2, 2, 1], [3, 2, 1], p=0.5)

    assert value == pytest.approx((2 / 3) / 2 + 1 / 4 + 1 / 8 + 1 / 8)


@given(st.permutations(range(9)), st.permutations(range(9)), st.floats(0.05, 0.95))
def test_rank_biased_overlap_is_the_sum_of_its_definition(first, second, p):
    """The orders go on forever in agreement: add depths until nothing is left to add."""
    x, y = np.argsort(first)[::-1].tolist(), np.argsort(second)[::-1].tolist()
    expected = sum(
        (1 - p) * p ** (depth - 1) * (len(set(x[:depth]) & set(y[:depth])) / depth if depth <= 9 else 1.0)
        for depth in range(1, 2000)
    )

    value = rank_biased_overlap(first, second, p=p)

    assert value == pytest.approx(expected, abs=1e-9)
    assert value == pytest.approx(rank_biased_overlap(second, first, p=p))
    assert rank_biased_overlap(first, first, p=p) == pytest.approx(1)


@given(few_values)
def test_rank_biased_overlap_lies_between_0_and_1(values):
    first, second = zip(*values, strict=True)

    assert 0 <= rank_biased_overlap(first, second) <= 1 + 1e-12


def test_rank_biased_overlap_refuses_what_it_cannot_order():
    assert rank_biased_overlap([], []) is None
    with pytest.raises(ValueError, match="finite"):
        rank_biased_overlap([float("nan")], [1])
    with pytest.raises(ValueError, match="one value per run"):
        rank_biased_overlap([1], [1, 2])
    with pytest.raises(ValueError, match="between 0 and 1"):
        rank_biased_overlap([1], [1], p=1.0)


def test_equal_values_share_the_better_rank():
    assert competition_ranks([0.5, 0.9, 0.5, 0.1]).tolist() == [2, 1, 2, 4]
