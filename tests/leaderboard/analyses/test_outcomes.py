"""The breakdown by hand, the verdicts by the rule, and boards on which MRR alone is misleading."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from leaderboard.analyses.compare.outcome_cases import (
    asked_pairs,
    compare_ranks,
    mean_reciprocal,
    several_answers,
)
from leaderboard.analyses.compare.verdicts import Claim, Deciding, Rules, sentence_of, verdict_of

RANKS = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=40)


def board(*groups: tuple[int, int, int]):
    """Return outcomes of (number of queries, rank in A, rank in B); 0 is unanswered."""
    a = np.concatenate([np.full(count, rank) for count, rank, _ in groups])
    b = np.concatenate([np.full(count, rank) for count, _, rank in groups])
    return compare_ranks(a, b)


def test_the_breakdown_worked_by_hand():
    found = compare_ranks(np.array([0, 1, 0, 2, 4, 5]), np.array([0, 0, 3, 1, 4, 10]))

    assert (found.neither, found.a_wins, found.b_wins, found.both) == (1, 1, 1, 3)
    assert found.value_a == pytest.approx((1 + 1 / 2 + 1 / 4 + 1 / 5) / 6)
    assert found.value_b == pytest.approx((1 / 3 + 1 + 1 / 4 + 1 / 10) / 6)
    assert (found.esl.a, found.esl.b) == (11 / 3, 5)
    assert found.rr.a == pytest.approx((1 / 2 + 1 / 4 + 1 / 5) / 3)
    assert found.esl.harm.value == pytest.approx(4 / 3)
    assert found.case2.p == 1


def test_a_higher_mean_can_hide_fewer_answers():
    """B has the higher MRR (0.595 against 0.516), but leaves 20 queries that A answers unanswered."""
    found = board((20, 10, 0), (60, 2, 1), (60, 2, 2), (10, 2, 3), (30, 1, 1), (20, 0, 0))

    verdict = verdict_of(found, Rules())

    assert found.value_b > found.value_a
    assert found.naive.signed_rank.p < 0.001
    assert (verdict.claim, verdict.favors) == (Claim.NONE, 0)


def test_an_equal_mean_can_hide_more_answers():
    """B answers 30 more queries at rank 10 and is later on only three others: no harm."""
    found = board((30, 0, 10), (3, 1, 2), (1, 2, 1), (50, 1, 1))

    verdict = verdict_of(found, Rules())

    assert found.naive.rank_sum.p > 0.05
    assert (verdict.claim, verdict.favors, verdict.harm_in) == (Claim.DO_NO_HARM, 1, "ESL")
    assert verdict.harm.low < 0 < verdict.harm.value < verdict.harm.high


def test_more_answers_bought_with_longer_searches_are_no_verdict():
    found = board((30, 0, 1), (40, 1, 2), (10, 2, 4))

    assert found.value_b > found.value_a
    assert verdict_of(found, Rules()).claim is Claim.NONE


def test_strictly_better_needs_both_cases():
    both = board((15, 0, 5), (2, 5, 0), (40, 3, 1), (20, 2, 2))
    case3_only = board((2, 0, 5), (2, 5, 0), (40, 3, 1), (20, 2, 2))

    assert verdict_of(both, Rules()).claim is Claim.STRICTLY_BETTER
    assert verdict_of(both, Rules()).do_no_harm
    verdict = verdict_of(case3_only, Rules())
    assert (verdict.claim, verdict.harm_in) == (Claim.DO_NO_HARM, "share answered")
    assert verdict.harm.value == 0


def test_better_is_only_a_description():
    found = board((2, 0, 1), (1, 1, 0), (5, 2, 1), (4, 1, 1), (1, 1, 2))

    verdict = verdict_of(found, Rules())

    assert (verdict.claim, verdict.favors, verdict.better) == (Claim.BETTER, 1, True)
    assert "not significantly" in sentence_of("a", "b", found, Rules())


def test_benefits_are_corrected_and_harms_are_not():
    """Case 2 alone has p = 0.0225 for B; then, with more wins, case 3 has p = 0.024 against it."""
    helpful = board((11, 0, 1), (2, 1, 0), (30, 1, 1))
    harmful = board((20, 0, 1), (5, 1, 2), (1, 2, 2), (40, 1, 1))

    assert helpful.case2.p == pytest.approx(0.02246, abs=1e-4)
    assert verdict_of(helpful, Rules(comparisons=1)).claim is Claim.DO_NO_HARM
    assert verdict_of(helpful, Rules(comparisons=2)).claim is Claim.NONE
    assert verdict_of(helpful, Rules(comparisons=2)).case2_corrected == pytest.approx(4 * helpful.case2.p)
    assert harmful.esl.paired_t.p == pytest.approx(0.0240, abs=2e-3)
    assert verdict_of(harmful, Rules(comparisons=1)).claim is Claim.NONE
    assert verdict_of(harmful, Rules(comparisons=50)).claim is Claim.NONE


def test_the_deciding_test_is_chosen_and_disagreement_is_said():
    """Many one-place gains and a few deep losses: ranks see the gains, means the losses."""
    found = board((30, 2, 1), (3, 1, 10), (20, 1, 1))

    by_t, by_rank = Rules(), Rules(deciding=Deciding.ESL_SIGNED_RANK)

    assert verdict_of(found, by_t).claim is Claim.NONE
    assert verdict_of(found, by_rank).claim is Claim.DO_NO_HARM
    assert "signed-rank p =" in verdict_of(found, by_t).disagreement
    assert "The tests disagree" in sentence_of("a", "b", found, by_t)


def test_higher_rr_takes_the_place_of_smaller_esl_where_rr_decides():
    found = board((2, 0, 1), (8, 2, 1), (2, 1, 9), (4, 1, 1))

    assert (found.esl.b > found.esl.a, found.rr.b > found.rr.a) == (True, True)
    assert not verdict_of(found, Rules()).better
    assert verdict_of(found, Rules(deciding=Deciding.RR_T)).better


def test_the_sentence_names_the_numbers_that_grant_the_verdict():
    found = board((15, 0, 5), (2, 5, 0), (40, 3, 1), (20, 2, 2))

    assert sentence_of("old", "new", found, Rules(comparisons=3)) == (
        "new is strictly better than old: new alone answers 15 of 77 queries, old alone 2 (exact binomial "
        "p = 0.00235, significant); where both answer (60), mean ESL is 1.33 against 2.67 (paired t-test on search "
        "lengths, p = 1.06e-15, significant) (benefits tested at 0.05/6, harms at 0.05)."
    )
    assert sentence_of("new", "old", compare_ranks(np.array([1, 1]), np.array([1, 1])), Rules()).startswith(
        "Neither old nor new can be called better"
    )


@pytest.mark.parametrize("swapped", [False, True])
def test_where_nothing_is_answered_by_both_nothing_is_said_about_harm(swapped):
    found = board((20, 1, 0) if swapped else (20, 0, 1))

    verdict = verdict_of(found, Rules())
    sentence = sentence_of("old", "new", found, Rules())

    assert (verdict.claim, verdict.do_no_harm) == (Claim.ANSWERS_MORE, False)
    assert verdict.favors == (-1 if swapped else 1)
    names = ("old", "new") if swapped else ("new", "old")
    assert sentence.startswith(
        "{} answers more queries than {}, but nothing can be said about harm: ".format(*names)
    )
    assert "no query is answered by both" in sentence
    assert "nan" not in sentence


@pytest.mark.parametrize(
    ("both", "said"),
    [((40, 1, 3), "all differences are the same"), ((1, 1, 4), "there is one difference")],
    ids=["all alike", "one"],
)
@pytest.mark.parametrize("deciding", [Deciding.ESL_T, Deciding.RR_T])
@pytest.mark.parametrize("swapped", [False, True])
def test_more_answers_are_no_claim_where_every_query_that_both_answer_stands_later(
    both, said, deciding, swapped
):
    """B answers 20 more queries and is two places later on all others: t is undefined, and the harm is clear."""
    rows = [(20, 0, 1), both]
    found = board(*((count, b, a) if swapped else (count, a, b) for count, a, b in rows))
    rules = Rules(deciding=deciding)

    sentence = sentence_of("old", "new", found, rules)

    assert verdict_of(found, rules).claim is Claim.NONE
    assert sentence.startswith("Neither new nor old can be called better: new alone answers ")
    against = "old" if swapped else "new"
    assert f"({deciding.words} is not defined: {said}, against {against})" in sentence
    assert "nan" not in sentence


def test_more_answers_that_all_stand_earlier_do_no_harm_though_no_test_is_defined():
    found = board((20, 0, 1), (5, 3, 2))

    assert math.isnan(found.esl.paired_t.p)
    assert verdict_of(found, Rules()).claim is Claim.DO_NO_HARM


def test_harm_is_said_in_words_of_worse_and_better():
    places = sentence_of("old", "new", board((30, 0, 1), (3, 1, 2), (2, 3, 1), (60, 1, 1)), Rules())
    share = sentence_of("old", "new", board((5, 0, 1), (1, 1, 0), (40, 3, 1), (20, 2, 2)), Rules())
    equal = sentence_of("old", "new", board((40, 3, 1), (20, 2, 2)), Rules())

    assert "; in ESL it is 0.0154 places better (95% interval: 0.118 better to 0.0873 worse) (" in places
    assert "; in share answered it is 6.06 points better (95% interval: " in share
    assert "; in share answered it is equal (" in equal


def test_harm_that_is_the_same_everywhere_is_said_without_an_interval():
    equal = sentence_of("old", "new", board((20, 0, 1), (30, 2, 2)), Rules())
    better = sentence_of("old", "new", board((20, 0, 1), (30, 3, 2)), Rules(deciding=Deciding.RR_T))

    assert "; in ESL it is equal on every query that both answer (benefits" in equal
    assert "; in RR it is 0.167 better on every query that both answer (benefits" in better


def test_a_run_against_itself_and_empty_cases_have_no_verdict():
    nothing = compare_ranks(np.zeros(4, np.int64), np.zeros(4, np.int64))
    empty = compare_ranks(np.empty(0, np.int64), np.empty(0, np.int64))

    for found in (nothing, empty, board((5, 1, 1))):
        assert verdict_of(found, Rules()).claim is Claim.NONE
        assert sentence_of("a", "b", found, Rules())
    assert math.isnan(empty.value_a)


def test_the_comparisons_of_a_list_are_the_papers():
    assert asked_pairs(13)[-3:] == [(0, 12), (10, 12), (11, 12)]
    assert len(asked_pairs(13)) == 14
    assert asked_pairs(2) == [(0, 1)]
    assert asked_pairs(3) == [(0, 1), (0, 2), (1, 2)]


def test_queries_with_several_answers_are_found():
    assert several_answers(4, [0, 0, 2, 3, 3, 3]).tolist() == [True, False, False, True]


@settings(max_examples=40)
@given(RANKS)
def test_swapping_the_runs_mirrors_everything(pairs):
    a, b = np.array(pairs).T
    forth, back = compare_ranks(a, b), compare_ranks(b, a)
    one, other = verdict_of(forth, Rules()), verdict_of(back, Rules())

    assert (forth.a_wins, forth.b_wins, forth.neither) == (back.b_wins, back.a_wins, back.neither)
    assert (forth.esl.a, forth.rr.b) == pytest.approx((back.esl.b, back.rr.a), nan_ok=True)
    assert forth.esl.paired_t.p == pytest.approx(back.esl.paired_t.p, nan_ok=True)
    assert (one.claim, one.favors) == (other.claim, -other.favors)


@settings(max_examples=40)
@given(RANKS)
def test_every_query_twice_leaves_the_means_and_moves_p_down(pairs):
    a, b = np.array(pairs).T
    once, twice = compare_ranks(a, b), compare_ranks(np.tile(a, 2), np.tile(b, 2))

    assert (once.value_a, once.esl.b) == pytest.approx((twice.value_a, twice.esl.b), nan_ok=True)
    assert twice.case2.p <= once.case2.p + 1e-9
    if once.naive.paired_t.counted > 1 and not math.isnan(once.naive.paired_t.p):
        assert twice.naive.paired_t.p <= once.naive.paired_t.p + 1e-9


def test_equal_mean_reciprocal_ranks_are_equal_numbers():
    one = np.array([2, 3, 6, 7, 8, 8, 8, 9, 9, 9])
    other = np.array([4, 5, 5, 5, 5, 5, 6, 6, 7, 8])

    assert mean_reciprocal(one) == mean_reciprocal(other) == pytest.approx((1.0 / one).mean())
    assert mean_reciprocal(np.array([0, 0])) == 0.0
    assert math.isnan(mean_reciprocal(np.array([], dtype=np.int64)))
