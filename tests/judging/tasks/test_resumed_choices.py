"""A worker who returned a task continues where they stopped, as long as nobody else has it."""

from datetime import timedelta
from decimal import Decimal

import pytest

from config import clock
from judging.models import Campaign, Choice, GoldPair, Judgment, Payment, Place, Slot, Submission, Task
from judging.money.held_pay import held_work, reject_unjudged
from judging.page import session
from judging.tasks.lease_ends import end_submission
from judging.tasks.slots import pairs_in
from pooling.models import Passage


@pytest.fixture
def signing(fair, monkeypatch):
    monkeypatch.setattr(fair.crowd, "signs_arrivals", True)
    return fair


def give_back(fair, submission: Submission) -> None:
    """The worker returns the task at the crowd, which offers the place again under another assignment."""
    place = next(one for one in fair.crowd.posted.values() if one.assignment_id == submission.assignment_id)
    fair.crowd.give_back(place)
    place.assignment_id = ""
    fair.crowd.tokens[f"returned {submission.pk}"] = "yes"  # gives the next assignment another id


def begun(fair, campaign, *, judged: int = 3) -> Submission:
    submission = fair.open_task(campaign, "A1", signed=True)
    fair.answer(submission, only=judged)
    give_back(fair, submission)
    return submission


def shown(submission: Submission) -> list[tuple]:
    return list(
        submission.slots.order_by("number").values_list("number", "pair", "gold_pair", "left", "right")
    )


def later(fair, campaign, worker: str = "A1", **times) -> Submission:
    with clock.shifted(timedelta(seconds=5)):
        return fair.open_task(campaign, worker, signed=True, **times)


def test_choices_are_there_again_and_the_task_is_paid_once(signing, campaign):
    first = begun(signing, campaign)

    again = later(signing, campaign)

    assert (again.pk, again.resumed_pairs) == (Submission.objects.latest("pk").pk, 3)
    assert shown(again) == shown(first)
    assert session.choices_made(again) == session.choices_made(first)
    signing.answer(again)
    signing.send_off(again)
    signing.collect(campaign)
    assert Submission.objects.get(pk=first.pk).state == "returned"
    assert Judgment.objects.counted().count() == 3
    assert sum(one.amount for one in Payment.objects.all()) == Decimal("2.00")


@pytest.mark.parametrize("judged", [0, 3])
def test_no_side_changes_whatever_others_were_shown_meanwhile(signing, campaign, judged):
    """If a side were swapped to balance a pair's judgments, it would reveal that the pair is not gold."""
    first = begun(signing, campaign, judged=judged)
    with clock.shifted(timedelta(seconds=2)):
        other = signing.open_task(campaign, "A2", signed=True)
    for slot in other.slots.exclude(pair=None):
        mine = first.slots.get(pair=slot.pair)
        Slot.objects.filter(pk=slot.pk).update(left=mine.left, right=mine.right)
    signing.answer(other)
    signing.send_off(other)
    Task.objects.filter(pk=first.task_id).update(state="waiting", holder=None)
    Task.objects.exclude(pk=first.task_id).delete()

    again = later(signing, campaign)

    assert (again.task_id, again.resumed_pairs) == (first.task_id, judged)
    assert shown(again) == shown(first)


def test_a_submission_at_the_moment_of_a_return_stays_submitted(signing, campaign):
    first = signing.open_task(campaign, "A1", signed=True)
    signing.answer(first)
    read_before = Submission.objects.get(pk=first.pk)
    session.finish(first)

    assert not end_submission(read_before, Submission.State.RETURNED)
    first.refresh_from_db()
    assert first.state == "finished"


def test_it_is_the_same_task_also_on_another_place(signing, campaign):
    first = begun(signing, campaign)
    other = list(signing.crowd.posted.values())[2]

    again = later(signing, campaign, place=other)

    first.refresh_from_db()
    assert (first.state, again.task_id) == ("returned", first.task_id)
    assert again.resumed_pairs == 3


def test_a_task_that_somebody_else_has_is_not_shown_again(signing, campaign):
    first = begun(signing, campaign)
    with clock.shifted(timedelta(seconds=2)):
        other = signing.open_task(campaign, "A2", signed=True)
    assert other.task_id == first.task_id

    again = later(signing, campaign)

    assert again.task_id != first.task_id
    assert again.resumed_pairs == 0
    assert not session.choices_made(again)[1][0]


def test_the_last_gold_of_a_worker_is_no_reason_to_refuse_what_it_was_shown_in(signing):
    campaign = signing.opened(max_tasks_per_worker=1)
    begun(signing, campaign)
    GoldPair.objects.exclude(slots__submission__isnull=False).delete()

    assert later(signing, campaign).resumed_pairs == 3


def test_what_was_judged_before_does_not_make_the_rest_wait_longer(signing):
    campaign = signing.opened()
    begun(signing, campaign)
    Campaign.objects.update(minimum_seconds=10)

    again = later(signing, campaign)

    left = session.unanswered(again)
    assert 0 < session.seconds_to_wait(again, left[:1]) <= 15
    assert pairs_in(again) == 5


def test_an_address_that_nobody_signed_shows_nobodys_choices(fair, campaign):
    first = fair.open_task(campaign, "A1")
    fair.answer(first, only=3)
    give_back(fair, first)
    Submission.objects.update(state="returned")
    Place.objects.filter(state="gone").update(state="open")

    assert fair.open_task(campaign, "A1").resumed_pairs == 0


def test_choices_submitted_under_several_assignments_are_paid_once(signing):
    """The worker posts the crowd's form directly and takes the next place before the collection."""
    campaign = signing.opened()
    first = signing.open_task(campaign, "A1", signed=True)
    signing.answer(first)
    signing.hand_in(first, {"x": "y"})
    for seconds in (5, 10):
        with clock.shifted(timedelta(seconds=seconds)):
            last = signing.open_task(campaign, "A1", signed=True)
            signing.hand_in(last, {"x": "y"})
    assert (last.task_id, last.resumed_pairs) == (first.task_id, 5)

    with clock.shifted(timedelta(seconds=30)):
        signing.collect(campaign)
        signing.collect(campaign)

    paid = Payment.objects.filter(state="paid")
    assert {one.submission for one in paid} == {last}
    assert sum(one.amount for one in paid) == Decimal("2.00")
    assert list(Submission.objects.order_by("pk").values_list("left_early", flat=True)) == [True, True, False]
    held = held_work(campaign)
    assert [(one.amount, one.saved) for one in held] == [(Decimal("0.20"), 0)] * 2
    assert held[0].why.startswith("The worker continued this task in a later submission")
    assert first.worker.exclusions.get().rule == "unseen"
    with clock.shifted(timedelta(days=2, minutes=1)):
        assert reject_unjudged(campaign) == 2
    why = Payment.objects.get(submission=first).decided_why
    assert why.startswith("You continued this task in a later one")


@pytest.mark.parametrize("before", [1, 5])
@pytest.mark.parametrize(("seconds", "state"), [(1, "held"), (40, "paid")])
def test_a_return_does_not_excuse_pairs_that_nobody_could_read(signing, before, seconds, state):
    Passage.objects.update(text="word " * 200)  # five pairs take the fastest reader 67 seconds
    campaign = signing.opened()
    first = signing.open_task(campaign, "A1", signed=True)
    with clock.shifted(timedelta(seconds=seconds)):
        signing.answer(first, only=before)
        give_back(signing, first)
    with clock.shifted(timedelta(minutes=20)):
        again = signing.open_task(campaign, "A1", signed=True)
    assert again.resumed_pairs == before
    with clock.shifted(timedelta(minutes=20, seconds=seconds)):
        signing.answer(again)
        assert Choice.objects.filter(slot__submission=again, seconds_shown=None).exists()
        signing.send_off(again)
        signing.collect(campaign)

    assert again.payments.get(kind="bonus").state == state
