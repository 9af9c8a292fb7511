"""Tasks left without a judged pair: the limit, the notice to the worker, and flags as work comes in."""

from datetime import timedelta

import pytest

from config import clock
from judging.errors import WorkRefused
from judging.intake.raised_flags import flagged_lately
from judging.intake.worker_records import records_of
from judging.models import Discrepancy, Submission, Worker, WorkerInCampaign
from judging.page import session
from judging.people.exclusions import reinstate_worker
from judging.tasks.lease_ends import end_submission
from judging.workers.unfinished import unfinished_of
from tests.judging.visitor import Visitor, text
from web.campaigns.needs import flag_needs

pytestmark = pytest.mark.usefixtures("crowd_site")


@pytest.fixture
def roomy(fair):
    return fair.opened(max_tasks_per_worker=19)


def leave(fair, campaign, times: int, *, state: str = "returned", signed: bool = True) -> Worker:
    """A1 consents to this many tasks and leaves each without a choice."""
    for number in range(times):
        with clock.shifted(timedelta(seconds=number)):
            submission = fair.open_task(campaign, "A1", signed=signed)
        Submission.objects.filter(pk=submission.pk).update(state=state)
        submission.task.state, submission.task.holder = "waiting", None
        submission.task.save()
        submission.slots.update(given_back=True)
        place = next(one for one in fair.crowd.posted.values() if one.holder)
        fair.crowd.give_back(place)
        place.assignment_id = f"ASSIGNMENTAGAIN{number}{place.posted.crowd_id}"
    return Worker.objects.get()


@pytest.mark.parametrize("state", ["returned", "lapsed"])
def test_after_five_in_a_row_no_more_are_offered_until_a_person_says_so(fair, roomy, state):
    worker = leave(fair, roomy, 5, state=state)

    with pytest.raises(WorkRefused, match="unfinished"):
        fair.open_task(roomy, "A1", signed=True)
    with clock.shifted(timedelta(minutes=1)):
        reinstate_worker(roomy, worker, why="the network was down", who="ada")
        again = fair.open_task(roomy, "A1", place=next(p for p in fair.crowd.posted.values() if p.holder))

    assert again.state == "held"
    assert roomy.changes.latest("pk").why == "the network was down"


@pytest.mark.parametrize(("done", "counted"), [("one", 5), ("gold", 4), ("all", 0)])
def test_a_finished_task_resets_the_count(fair, roomy, done, counted):
    worker = leave(fair, roomy, 4)
    with clock.shifted(timedelta(minutes=1)):
        judged = fair.open_task(roomy, "A1", signed=True)
        gold = judged.slots.exclude(gold_pair=None)
        for slot in {"one": judged.slots.filter(gold_pair=None)[:1], "gold": gold, "all": judged.slots.all()}[
            done
        ]:
            fair.answer_slot(judged, slot)
        fair.send_off(judged)
        fair.collect(roomy)

    assert unfinished_of(roomy, worker).count == counted


def test_unsigned_tasks_tasks_without_consent_and_claimed_choices_do_not_count(fair, roomy):
    worker = leave(fair, roomy, 3, signed=False)
    assert unfinished_of(roomy, worker).count == 0

    Submission.objects.update(taken_at=clock.now())
    assert unfinished_of(roomy, worker).count == 3
    first, second, _ = Submission.objects.order_by("pk")
    first.consent.delete()
    Submission.objects.filter(pk=second.pk).update(state="submitted")
    note = Discrepancy.objects.create(
        submission=second, kind="only_there", detail={"answered": 4, "saved": 0}
    )
    assert unfinished_of(roomy, worker).count == 1
    note.delete()
    assert unfinished_of(roomy, worker).count == 2


def test_the_limit_can_be_lifted_for_everybody(fair, roomy, settings):
    settings.MOST_UNFINISHED = 0
    leave(fair, roomy, 6)

    with clock.shifted(timedelta(minutes=1)):
        assert fair.open_task(roomy, "A1", signed=True).state == "held"


def test_the_page_says_how_many_are_left_and_why(fair, crowd, roomy):
    leave(fair, roomy, 2)
    visitor = Visitor(crowd, roomy, "A1", next(one for one in crowd.posted.values() if not one.holder))

    page = text(visitor.arrive())

    assert "You left 2 tasks here too early for them to be used." in page
    assert "After 3 more, no further task of this campaign is offered to you." in page


def begin_and_return(fair, campaign, times: int) -> Worker:
    """A1 takes this many tasks, judges a pair of each and returns it at the crowd."""
    for _ in range(times):
        submission = fair.open_task(campaign, "A1", signed=True)
        fair.answer(submission, only=1)
        assert end_submission(submission, Submission.State.RETURNED)
        place = next(one for one in fair.crowd.posted.values() if one.holder)
        fair.crowd.give_back(place)
        place.assignment_id = f"ASSIGNMENTAFTER{submission.pk}"
    return Worker.objects.get()


def test_returns_after_judging_some_pairs_count_half(fair, roomy):
    worker = begin_and_return(fair, roomy, 9)
    found = unfinished_of(roomy, worker)
    assert (found.begun, found.left, found.stopped) == (9, 1, False)

    begin_and_return(fair, roomy, 1)

    with pytest.raises(WorkRefused, match="unfinished"):
        fair.open_task(roomy, "A1", signed=True)


@pytest.mark.parametrize(("times", "warned"), [(1, False), (2, True)])
def test_one_interruption_is_no_reason_for_a_warning(fair, crowd, roomy, times, warned):
    begin_and_return(fair, roomy, times)
    visitor = Visitor(crowd, roomy, "A1", next(one for one in crowd.posted.values() if not one.holder))

    assert ("You left 2 tasks here too early" in text(visitor.arrive())) is warned


def test_returning_begun_tasks_again_and_again_is_flagged_though_nothing_came_in(fair, roomy):
    begin_and_return(fair, roomy, 2)
    fair.collect(roomy)
    assert not WorkerInCampaign.objects.exists()

    begin_and_return(fair, roomy, 1)
    fair.collect(roomy)

    assert WorkerInCampaign.objects.get().flags == ["returns"]


def stop_early(fair, campaign, worker: str, *, gold_first: bool = False) -> Submission:
    """End a task after one pair, which is a gold pair only with ``gold_first``."""
    submission = fair.open_task(campaign, worker, signed=True)
    slots = (
        submission.slots.exclude(gold_pair=None) if gold_first else submission.slots.filter(gold_pair=None)
    )
    session.save_choice(submission, number=slots.first().number, sequence=0, side="left")
    session.finish(submission)
    fair.hand_in(submission)
    fair.collect(campaign)
    return submission


def test_ending_tasks_before_the_last_test_pair_is_flagged_once_it_is_a_habit(fair, roomy):
    for _ in range(2):
        stop_early(fair, roomy, "A1")
    assert not WorkerInCampaign.objects.exists()

    submission = stop_early(fair, roomy, "A1")

    (noticed,) = flagged_lately(roomy, clock.now() - timedelta(days=1))
    assert noticed.flags == ["stops early"]
    record = records_of(roomy).rows[0]
    assert (record.tasks, record.stopped, record.judgments, record.counted) == (3, 3, 3, 0)
    assert record.flags[0].words == "ended 3 of 3 tasks before the last gold pair, so they do not count"
    assert "stops early" in flag_needs(roomy)[0].what
    assert not submission.worker.exclusions.exists()


def test_a_worker_who_stops_now_and_then_is_not_flagged(fair):
    campaign = fair.opened(max_tasks_per_worker=19, pairs_per_task=1, judgments_per_pair=2)
    for _ in range(3):
        fair.do_task(campaign, "A1")
        stop_early(fair, campaign, "A1")

    assert not any("stops early" in found.flags for found in WorkerInCampaign.objects.all())
    assert records_of(campaign).rows[0].stopped == 3


def test_an_empty_task_is_flagged_as_it_comes_in_and_the_campaigns_page_says_so(fair, campaign):
    submission = fair.open_task(campaign, "A1")
    session.finish(submission)
    fair.hand_in(submission, {"comment": ""})
    fair.do_task(campaign, "A2")
    fair.collect(campaign)

    (noticed,) = flagged_lately(campaign, clock.now() - timedelta(days=1))
    assert (noticed.worker, noticed.flags) == (submission.worker, ["empty"])
    (need,) = flag_needs(campaign)
    assert need.what == f"1 worker has new flags: worker {submission.worker_id} (empty)."
    assert need.link.endswith("?show=flagged")
    assert not submission.worker.exclusions.exists()
    with clock.shifted(timedelta(days=4)):
        fair.collect(campaign)
        assert flag_needs(campaign) == []
    assert WorkerInCampaign.objects.count() == 1


@pytest.mark.parametrize("done", [None, 2])
def test_unfinished_tasks_count_before_the_crowd_lists_them(fair, done):
    """A script could otherwise submit many tasks of one pair before the next collection."""
    roomy = fair.opened(max_tasks_per_worker=19, pairs_per_task=1)
    for number in range(5):
        with clock.shifted(timedelta(seconds=number)):
            submission = fair.open_task(roomy, "A1", signed=True)
            if number == done:
                fair.answer(submission)
            else:
                fair.answer_slot(submission, submission.slots.filter(gold_pair=None).first())
            fair.send_off(submission)

    with clock.shifted(timedelta(minutes=1)):
        if done is None:
            with pytest.raises(WorkRefused, match="unfinished"):
                fair.open_task(roomy, "A1", signed=True)
        else:
            assert fair.open_task(roomy, "A1", signed=True).state == "held"
    assert unfinished_of(roomy, submission.worker).count == (5 if done is None else 2)


def test_tasks_submitted_under_an_unsigned_arrival_do_not_count_yet(fair, roomy):
    submission = fair.open_task(roomy, "A1")
    fair.answer(submission, only=1)
    session.finish(submission)

    assert unfinished_of(roomy, submission.worker).count == 0
