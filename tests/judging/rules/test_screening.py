import pytest
from hypothesis import given, strategies as st
from scipy import stats

from judging.rules.screening import RULES, excluding_failures, failures_chance, screen_answers


def test_reference_excludes_at_one_failure_and_names_it():
    verdict = screen_answers([True, False, True], "reference")

    assert verdict.excluded
    assert verdict.failed == (1,)
    assert "failed 1 of 3" in verdict.reason


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seen", [0, 1, 30])
def test_workers_without_failures_stay(rule, seen):
    assert not screen_answers([True] * seen, rule).excluded


@pytest.mark.parametrize(
    ("failed", "seen", "excluded"),
    [
        (1, 1, False),
        (1, 3, False),
        (2, 2, True),
        (2, 3, True),
        (2, 6, False),
        (3, 6, True),
        (6, 60, False),
        (9, 60, True),
    ],
)
def test_rate_excludes_when_failures_are_unlikely_under_honest_slips(failed, seen, excluded):
    """By hand: two of two has p = 0.05² = 0.0025; two of three 3·0.05²·0.95 + 0.05³ = 0.00725; two of six 0.033."""
    verdict = screen_answers([False] * failed + [True] * (seen - failed), "rate", slip_rate=0.05)

    assert verdict.excluded is excluded


def test_chance_of_failures_is_the_binomial_tail():
    by_hand = 3 * 0.05**2 * 0.95 + 0.05**3

    assert failures_chance(2, 3, 0.05) == pytest.approx(by_hand)
    assert failures_chance(0, 5) == 1.0


@given(st.lists(st.booleans(), max_size=60), st.randoms())
def test_order_of_answers_does_not_matter(answers, random):
    shuffled = random.sample(answers, len(answers))

    for rule in RULES:
        assert screen_answers(answers, rule).excluded == screen_answers(shuffled, rule).excluded


@given(st.integers(1, 40), st.integers(1, 40))
def test_chance_agrees_with_an_exact_test(failed, more):
    seen = failed + more
    exact = stats.binomtest(failed, seen, 0.05, alternative="greater").pvalue

    assert failures_chance(failed, seen, 0.05) == pytest.approx(exact)


def test_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="no screening rule"):
        screen_answers([True], "strict")


@pytest.mark.parametrize(
    ("failed", "seen", "excluded"), [(0, 3, False), (1, 3, False), (2, 3, True), (2, 60, True)]
)
def test_the_second_strike_excludes_in_the_same_task_or_later(failed, seen, excluded):
    assert screen_answers([True] * (seen - failed) + [False] * failed, "two-strikes").excluded is excluded


@given(st.integers(1, 200), st.floats(0, 0.5))
def test_one_failure_alone_never_excludes_by_rate(seen, slip_rate):
    assert excluding_failures("rate", seen, slip_rate) >= 2


@given(st.sampled_from(RULES), st.integers(0, 60))
def test_the_least_number_that_excludes_is_the_one_screening_goes_by(rule, seen):
    least = excluding_failures(rule, seen)

    for failed in {min(least, seen), max(0, least - 1)}:
        assert screen_answers([False] * failed + [True] * (seen - failed), rule).excluded == (failed >= least)


def test_one_gold_pair_is_in_the_singular():
    assert screen_answers([True], "reference").reason == "passed 1 gold pair"
    assert screen_answers([False], "reference").reason == "failed 1 of 1 gold pair; one is enough"
    assert screen_answers([True, True], "reference").reason == "passed all 2 gold pairs"
