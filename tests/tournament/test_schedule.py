"""The next pairs of a challenge."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, strategies as st

from tournament.schedule import (
    Forecast,
    Meeting,
    PairJudgments,
    Rule,
    Sides,
    challenge_step,
    forecast,
    meeting,
    round_robin,
)

UNASKED = Meeting(2, None)


def known(shares):
    """Return the state of pairs from {(a, b): first passage's share}; other pairs were not judged."""
    return lambda a, b: Meeting(0, Fraction(shares[a, b])) if (a, b) in shares else UNASKED


def test_a_round_robin_has_every_pair_once_in_order():
    assert round_robin([5, 2, 9, 2]) == [(2, 5), (2, 9), (5, 9)]


@pytest.mark.parametrize(
    ("said", "needed", "share"),
    [
        (PairJudgments(), 2, None),
        (PairJudgments(1, 0), 1, None),
        (PairJudgments(2, 0), 0, 1),
        (PairJudgments(0, 2), 0, 0),
        (PairJudgments(1, 1), 2, None),
        (PairJudgments(2, 1), 1, None),
        (PairJudgments(3, 1), 0, 1),
        (PairJudgments(2, 2), 1, None),
        (PairJudgments(2, 3), 0, 0),
        (PairJudgments(1, 0, 1), 1, None),
        (PairJudgments(1, 1, 2), 1, None),
        (PairJudgments(1, 1, 3), 0, Fraction(1, 2)),
        (PairJudgments(0, 0, 4), 1, None),
        (PairJudgments(0, 0, 5), 0, Fraction(1, 2)),
        (PairJudgments(2, 1, 2), 0, 1),
    ],
)
def test_lead2_asks_until_a_side_leads_by_two_or_five_are_in(said, needed, share):
    assert meeting(Rule.LEAD2, said) == Meeting(needed, share)


@pytest.mark.parametrize(
    ("said", "needed", "share"),
    [
        (PairJudgments(), 1, None),
        (PairJudgments(1, 0), 0, 1),
        (PairJudgments(0, 1), 0, 0),
        (PairJudgments(0, 0, 1), 0, Fraction(1, 2)),
    ],
)
def test_single_asks_once(said, needed, share):
    assert meeting(Rule.SINGLE, said) == Meeting(needed, share)


@given(st.lists(st.sampled_from(["first", "second", "undecided"]), min_size=5, max_size=5))
def test_lead2_in_steps_asks_no_more_than_one_judgment_at_a_time_would(answers):
    def asked(stepwise):
        said, given_ = PairJudgments(), 0
        while (stands := meeting(Rule.LEAD2, said)).needed:
            for _ in range(stands.needed if stepwise else 1):
                side = answers[given_]
                said = PairJudgments(**{**said.__dict__, side: getattr(said, side) + 1})
                given_ += 1
        return given_, stands.share

    assert asked(stepwise=True) == asked(stepwise=False)
    assert 2 <= asked(stepwise=True)[0] <= 5


def test_lead2_with_one_judgment_in_three_wrong_errs_in_55_of_243_pairs():
    wrong = Fraction(1, 3)

    def loses(right_side, wrong_side):
        stands = meeting(Rule.LEAD2, PairJudgments(right_side, wrong_side))
        if stands.share is not None:
            return 1 - stands.share
        return (1 - wrong) * loses(right_side + 1, wrong_side) + wrong * loses(right_side, wrong_side + 1)

    assert loses(0, 0) == Fraction(55, 243)  # docs/methods.md; a single judgment errs in 81 of 243


def test_newcomers_meet_every_current_best_answer_first():
    step = challenge_step(Sides((1, 2), (7, 8)), known({}))

    assert dict(step.ask) == {(1, 7): 2, (2, 7): 2, (1, 8): 2, (2, 8): 2}
    assert not step.finished


def test_challengers_that_lose_to_every_best_answer_drop_out():
    step = challenge_step(Sides((1, 2), (7,)), known({(1, 7): 1, (2, 7): 1}))

    assert step == challenge_step(Sides((1, 2), (7,)), known({(1, 7): 1, (2, 7): 1}))
    assert step.finished
    assert step.left == ()


def test_a_challenger_level_with_a_best_answer_stays():
    step = challenge_step(Sides((1, 2), (7,)), known({(1, 7): 1, (2, 7): Fraction(1, 2)}))

    assert step.finished
    assert step.left == (7,)


def test_those_left_meet_each_other_as_far_as_not_judged():
    shares = {(3, 7): 0, (3, 8): 0, (3, 9): 1, (1, 3): 1}

    step = challenge_step(Sides((3,), (1, 7, 8, 9)), known(shares))

    assert step.left == (1, 7, 8)
    assert [pair for pair, _ in step.ask] == [(1, 7), (1, 8), (7, 8)]
    judged = known({**shares, (1, 7): 1, (1, 8): 1, (7, 8): 1})
    assert challenge_step(Sides((3,), (1, 7, 8, 9)), judged).finished


def test_challengers_sure_to_stay_meet_without_waiting_for_the_others():
    shares = {(1, 7): 0, (1, 8): 0}

    step = challenge_step(Sides((1, 2), (7, 8, 9)), known(shares))

    assert (7, 8) in dict(step.ask)
    assert {(2, 7), (2, 8), (1, 9), (2, 9)} < set(dict(step.ask))
    assert (7, 9) not in dict(step.ask)


def test_a_passage_key_below_the_best_answers_changes_nothing():
    assert challenge_step(Sides((9,), (1,)), known({(1, 9): 0})).left == ()
    assert challenge_step(Sides((9,), (1,)), known({(1, 9): 1})).left == (1,)


def test_the_forecast_has_the_minimum_and_the_maximum():
    sides = [Sides((1,), (7, 8, 9)), Sides((1, 2), (7,))]

    # Three newcomers against one best answer, one against two: 5 pairs, and 3 more if the three all stay.
    assert forecast(sides, Rule.LEAD2, pairs_per_task=10) == Forecast(5, 8, 10, 40, 2, 18)
    assert forecast(sides, Rule.SINGLE, pairs_per_task=10) == Forecast(5, 8, 5, 8, 1, 2)
    assert forecast([], Rule.LEAD2, pairs_per_task=10) == Forecast(0, 0, 0, 0, 0, 0)


def test_the_most_tasks_are_no_more_than_the_most_judgments():
    assert forecast([Sides((1,), (7,))], Rule.LEAD2, pairs_per_task=10).tasks_most == 5


@given(
    st.integers(1, 3),
    st.integers(1, 4),
    st.sampled_from(Rule),
    st.randoms(use_true_random=False),
)
def test_the_pairs_judged_in_the_end_are_within_the_forecast(bests, challengers, rule, random):
    sides = Sides(tuple(range(bests)), tuple(range(10, 10 + challengers)))
    said: dict[tuple[int, int], PairJudgments] = {}
    stands = lambda a, b: meeting(rule, said.get((a, b), PairJudgments()))  # noqa: E731

    while not (step := challenge_step(sides, stands)).finished:
        for pair, needed in step.ask:
            for _ in range(needed):
                was, side = said.get(pair, PairJudgments()), random.choice(["first", "second", "undecided"])
                said[pair] = PairJudgments(**{**was.__dict__, side: getattr(was, side) + 1})

    expected = forecast([sides], rule, pairs_per_task=10)
    assert expected.pairs_fewest <= len(said) <= expected.pairs_most
    judged = sum(one.judged for one in said.values())
    assert expected.judgments_fewest <= judged <= expected.judgments_most
    assert set(product(sides.bests, sides.challengers)) <= set(said)
