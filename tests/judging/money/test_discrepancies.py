"""Differences between our records and the crowd's, in both directions."""

from datetime import timedelta

import time_machine

from config import clock
from judging.models import Choice, Discrepancy, Judgment
from judging.money.discrepancies import count_open_differences, difference_rows, settle_difference
from judging.page import session
from judging.page.last_step import final_answers


def test_work_that_agrees_is_no_difference(fair, campaign):
    fair.do_task(campaign, "A1")
    fair.collect(campaign)

    assert difference_rows(campaign) == []


def test_submissions_unknown_here_are_named(fair, campaign):
    place = fair.crowd.take("A1")
    fair.crowd.hand_in(place, {"choice-1": "left", "comment": ""})

    fair.collect(campaign)
    fair.collect(campaign)

    (row,) = difference_rows(campaign)
    assert (row["kind"], row["detail"]) == ("only_there", {"answered": 1, "saved": 0})


def test_submissions_unknown_at_the_crowd_are_named_until_it_lists_them(fair, campaign):
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission)
    session.finish(submission)
    with time_machine.travel(clock.now() + timedelta(hours=3)):
        fair.collect(campaign)
        (row,) = difference_rows(campaign)
        assert (row["kind"], row["submission"]) == ("only_here", submission.pk)

        fair.hand_in(submission)
        fair.collect(campaign)

    assert difference_rows(campaign) == []
    assert Discrepancy.objects.get().resolution == "the crowd lists it now"
    assert Judgment.objects.filter(submission=submission).counted().count() == 3


def test_different_answers_are_named_and_our_record_stands(fair, campaign):
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission)
    session.finish(submission)
    answers = dict(final_answers(submission))
    slot = submission.slots.exclude(pair=None).order_by("number").first()
    fair.hand_in(submission, answers | {f"choice-{slot.number}": "right"})

    fair.collect(campaign)

    (row,) = difference_rows(campaign)
    assert row["detail"] == {"slots": {str(slot.number): {"ours": "left", "theirs": "right"}}}
    assert Judgment.objects.get(slot=slot).preferred_id == slot.left_id


def test_a_form_that_says_nothing_of_a_pair_is_no_difference(fair, campaign):
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission)
    session.finish(submission)
    fair.hand_in(submission, {"comment": "", "choice-1": "garbage", "choice-99": "left"})

    fair.collect(campaign)

    assert difference_rows(campaign) == []
    assert Choice.objects.count() == 5


def test_a_person_settles_a_difference_with_what_was_found(fair, campaign):
    place = fair.crowd.take("A1")
    fair.crowd.hand_in(place, {"comment": ""})
    fair.collect(campaign)
    (row,) = difference_rows(campaign)

    assert settle_difference(campaign, row["submission"], why="our page was down") == 1
    assert settle_difference(campaign, row["submission"], why="again") == 0
    assert count_open_differences(campaign) == {"only_there": 0, "only_here": 0, "different": 0}
    assert Discrepancy.objects.get().resolution == "our page was down"
