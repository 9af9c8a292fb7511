"""The life of a topic at the boundaries of its rules."""

import pytest

from judging.errors import BadInput
from judging.rules.topic_life import (
    LifeRules,
    Tally,
    after_batch,
    after_opening,
    at_end,
    check_rules,
    next_of_pool,
    pool_order,
)

PAPER = LifeRules()


def verdict(decision):
    return decision and str(decision.verdict)


@pytest.mark.parametrize(
    ("judged", "relevant", "expected"),
    [
        (100, 0, "discarded"),
        (100, 1, None),
        (100, 49, None),
        (100, 50, "discarded"),
        (100, 51, "discarded"),
        (75, 37, None),
        (75, 38, "discarded"),
    ],
)
def test_after_the_opening_a_topic_with_half_or_none_relevant_is_discarded(judged, relevant, expected):
    assert verdict(after_opening(Tally(judged, relevant), PAPER)) == expected


@pytest.mark.parametrize(
    ("judged", "relevant", "expected"),
    [
        (149, 20, None),
        (150, 20, "accepted"),
        (151, 20, "accepted"),
        (150, 3, None),
        (150, 4, "accepted"),
        (150, 59, "accepted"),
        (150, 60, None),  # 0.40
        (200, 79, "accepted"),
        (200, 80, None),
        (300, 151, None),
        (300, 300, None),
        (301, 151, "rejected"),
        (302, 151, None),  # 0.50
        (302, 152, "rejected"),
        (1000, 0, None),
    ],
)
def test_after_a_batch_a_topic_is_accepted_rejected_or_goes_on(judged, relevant, expected):
    assert verdict(after_batch(Tally(judged, relevant), PAPER)) == expected


@pytest.mark.parametrize(
    ("judged", "relevant", "expected"),
    [
        (149, 20, "rejected"),
        (150, 20, "accepted"),
        (150, 3, "rejected"),
        (150, 4, "accepted"),
        (150, 59, "accepted"),
        (150, 60, "rejected"),
        (150, 61, "rejected"),
        (0, 0, "rejected"),
    ],
)
def test_when_the_budget_ends_every_topic_is_decided(judged, relevant, expected):
    assert verdict(at_end(Tally(judged, relevant), PAPER)) == expected


@pytest.mark.parametrize("percent", [7, 14, 28, 40, 50, 55, 56, 57, 58])
@pytest.mark.parametrize("judged", [100, 400])
def test_a_share_that_is_reached_exactly_counts_as_reached(percent, judged):
    share, relevant = float(f"0.{percent:02}"), percent * judged // 100
    rules = LifeRules(discard_share=share, accept_density=share, reject_density=share, reject_judged=99)
    below, reached, above = (Tally(judged, relevant + more) for more in (-1, 0, 1))

    assert [verdict(after_opening(one, rules)) for one in (below, reached)] == [None, "discarded"]
    assert [verdict(after_batch(one, rules)) for one in (reached, above)] == [None, "rejected"]
    assert verdict(at_end(reached, rules)) == "rejected"
    if judged >= rules.accept_judged:
        assert verdict(after_batch(below, rules)) == verdict(at_end(below, rules)) == "accepted"


@pytest.mark.parametrize("judged", range(1, 400, 7))
def test_what_is_accepted_after_a_batch_is_accepted_at_the_end(judged):
    for relevant in range(judged + 1):
        tally = Tally(judged, relevant)

        accepted = verdict(after_batch(tally, PAPER)) == "accepted"

        assert accepted == (verdict(at_end(tally, PAPER)) == "accepted")


def test_every_number_is_a_setting():
    rules = check_rules({"opening": 4, "discard_share": 0.75, "accept_judged": 6, "accept_relevant": 1})

    assert verdict(after_opening(Tally(4, 2), rules)) is None
    assert verdict(after_opening(Tally(4, 3), rules)) == "discarded"
    assert verdict(after_batch(Tally(6, 1), rules)) == "accepted"
    assert verdict(after_batch(Tally(5, 1), rules)) is None


def test_the_reason_says_what_is_lacking():
    assert at_end(Tally(10, 2), PAPER).reason == (
        "10 judged, 2 relevant, density 0.2000. Fewer than 150 are judged. Fewer than 4 are relevant."
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"openings": 4}, "Unknown rule: 'openings'"),
        ({"batch": 0}, "--rule batch=… is a number of passages"),
        ({"batch": 2.5}, "cannot be 2.5"),
        ({"accept_density": 40}, "--rule accept_density=… is a share"),
        ({"accept_density": float("nan")}, "--rule accept_density=… is a share"),
        ({"opening": 10**6}, "Enter a whole number from 1 to 100,000"),
        ({"batch": float("inf")}, "--rule batch=… is a number of passages"),
        ({"batch": float("nan")}, "--rule batch=… is a number of passages"),
        ({"accept_density": 0.6}, "Lower --rule accept_density=… or raise --rule reject_density=…"),
        ({"reject_density": 0.3}, "accept_density=… is 0.4, more than --rule reject_density=…, which is 0.3"),
        ({"accept_judged": 301}, "Lower --rule accept_judged=… or raise --rule reject_judged=…"),
    ],
)
def test_an_invalid_rule_is_refused(given, words):
    with pytest.raises(BadInput, match=words):
        check_rules(given)


def test_the_pool_is_ordered_by_the_smallest_rank_in_any_run():
    ranks = [("a", 2), ("b", 1), ("a", 3), ("c", 9), ("c", 2)]

    assert pool_order(ranks, {}) == [("b", 1), ("a", 2), ("c", 2)]


def test_a_class_of_near_duplicates_has_the_smallest_rank_of_its_members():
    ranks = [("copy", 1), ("original", 8), ("other", 2)]

    assert pool_order(ranks, {"copy": "original"}) == [("original", 1), ("other", 2)]


def test_the_opening_comes_first_and_then_the_rest():
    order, rules = [[key, 1] for key in range(7)], LifeRules(opening=5)

    assert [key for key, _ in next_of_pool(order, 0, rules)] == [0, 1, 2, 3, 4]
    assert [key for key, _ in next_of_pool(order, 5, rules)] == [5, 6]
    assert next_of_pool(order, 7, rules) == []
