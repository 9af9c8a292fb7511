"""The time for a task: one extension, and its end, when judged pairs are submitted, counted and paid."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from config import clock
from judging.crowds.interface import Arrival
from judging.errors import CampaignRefused, CrowdNever, WorkRefused
from judging.exchange.calls import allow_retries
from judging.exchange.link_tokens import page_address
from judging.intake.collection import collect
from judging.models import Campaign, Judgment, Payment, Submission, Task
from judging.money.held_pay import held_work, pay_held
from judging.money.ledger import compare_books
from judging.money.payments import pay_owed
from judging.money.refused_payments import settle_payments, undo_settlement
from judging.money.rejections import decide_rejection
from judging.money.unlisted_work import missing_work
from judging.page import arrivals, session
from judging.rules.deadlines import (
    GRACE,
    LEAD,
    MARGIN,
    PAGE_GRACE,
    Deadlines,
    deadlines,
    extended,
    offered_seconds,
)
from pooling.models import Passage
from tests.judging.fake_crowd import FakePlace
from tests.judging.visitor import Visitor, text

LIMIT = 3600
NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
#: After our deadline and the server's grace period for pages that submit automatically.
OVER = timedelta(seconds=LIMIT) + PAGE_GRACE + timedelta(seconds=1)


def test_the_crowd_gives_time_for_the_limit_once_more_and_a_margin():
    known = deadlines(opened=NOON, taken=None, limit=LIMIT, offered=offered_seconds(LIMIT))

    assert known.ours == NOON + timedelta(hours=1)
    longer = extended(known, LIMIT)
    assert longer == NOON + timedelta(hours=2)
    assert known.crowd - longer == MARGIN


def test_a_page_opened_long_after_the_task_was_taken_ends_before_the_crowds_time_does():
    taken = NOON - timedelta(minutes=90)
    known = deadlines(opened=NOON, taken=taken, limit=LIMIT, offered=offered_seconds(LIMIT))

    assert known.ours == known.crowd - LEAD == taken + timedelta(hours=2) + MARGIN - LEAD
    assert extended(known, LIMIT) is None


def test_a_crowd_that_gives_no_more_than_the_limit_leaves_nothing_to_ask_for():
    known = deadlines(opened=NOON, taken=None, limit=LIMIT, offered=LIMIT)

    assert known == Deadlines(NOON + timedelta(hours=1) - LEAD, NOON + timedelta(hours=1))
    assert extended(known, LIMIT) is None


pytestmark = pytest.mark.usefixtures("crowd_site")


@pytest.fixture
def martha(crowd, campaign) -> Visitor:
    """She has judged two of her five pairs."""
    visitor = Visitor(crowd, campaign)
    visitor.begin()
    for number, side in list(visitor.choices().items())[:2]:
        visitor.save(slot=number.removeprefix("choice-"), side=side)
    return visitor


def test_more_time_is_given_once_and_the_place_is_not_held_for_ever(martha):
    page = text(martha.client.get(martha.page))
    assert "Add 1 hour" in page
    before = martha.submission

    told = martha.client.post(f"{martha.page}more-time", {"script": "yes"}).json()
    again = martha.client.post(f"{martha.page}more-time", {"script": "yes"}).json()

    after = martha.submission
    assert after.ends_at - before.ends_at == timedelta(seconds=LIMIT)
    assert after.ends_at < after.crowd_ends_at == before.crowd_ends_at
    assert 7100 < again["left"] <= told["left"] <= 7200
    assert "Add 1 hour" not in text(martha.client.get(martha.page))


def test_without_scripts_more_time_keeps_what_the_form_says(martha):
    page = text(martha.client.post(f"{martha.page}more-time", martha.choices(), follow=True))

    assert "2 hours from now" in page
    assert not session.unanswered(martha.submission)


def test_asking_after_the_end_or_before_consent_gives_nothing(crowd, campaign, martha):
    early = Visitor(crowd, campaign, "AEARLY")
    early.arrive()
    early.client.post(f"{early.page}more-time")
    with clock.shifted(OVER):
        collect(campaign)
        martha.client.post(f"{martha.page}more-time")

    assert early.submission.extended_at is None
    assert (martha.submission.extended_at, martha.submission.state) == (None, "finished")


def test_the_page_sends_off_what_is_judged_and_says_what_is_paid(martha):
    early = martha.client.post(f"{martha.page}time-up", {"comment": ""}, follow=True)
    assert (martha.submission.state, "timed-out" in text(early)) == ("held", False)

    with clock.shifted(timedelta(seconds=LIMIT)):
        page = text(martha.client.post(f"{martha.page}time-up", {"comment": "slow train"}, follow=True))

    submission = martha.submission
    assert (submission.state, submission.left_early, submission.comment) == ("finished", True, "slow train")
    assert "You judged 2 of 5 pairs, and they were submitted for you." in page
    assert "You will then be paid $0.92 for the pairs you judged" in page
    assert 'id="crowd"' in page
    assert f'id="receipt">{submission.pk}-' in page


def test_a_closed_page_is_sent_off_by_the_server_and_the_crowds_form_follows_when_its_worker_is_back(
    fair, campaign, martha
):
    with clock.shifted(OVER):
        collect(campaign)
        assert "2 of 5 pairs, and they were submitted" in text(martha.client.get(martha.page))
        submission = martha.submission
        assert submission.judgments.count() + submission.gold_answers.count() == 2
        fair.hand_in(martha.submission)
        fair.collect(campaign)

    paid = martha.submission.payments.values_list("kind", "amount", "state")
    assert sorted(paid) == [("bonus", Decimal("0.72"), "paid"), ("reward", Decimal("0.20"), "paid")]
    assert sum(one.amount for one in fair.crowd.paid_bonuses) == Decimal("0.72")


def test_choices_that_waited_for_a_connection_are_kept_and_what_was_sent_off_stays(campaign, martha):
    slots = [str(slot.number) for slot in martha.slots()]
    sides = martha.choices()
    with clock.shifted(OVER):
        collect(campaign)
        late = martha.save(slot=slots[2], side=sides[f"choice-{slots[2]}"], age="400")
        changed = martha.save(slot=slots[0], side="right", sequence="7")
        page = text(martha.client.post(f"{martha.page}finish", sides, follow=True))

    assert (late.status_code, changed.status_code) == (200, 409)
    assert "You will then be paid $2.00" in page
    submission = martha.submission
    assert not submission.left_early
    assert submission.judgments.count() + submission.gold_answers.count() == 5


def test_without_a_judged_pair_the_task_goes_to_another_worker(crowd, campaign):
    visitor = Visitor(crowd, campaign)
    visitor.begin()
    with clock.shifted(timedelta(seconds=LIMIT)):
        page = text(visitor.client.post(f"{visitor.page}time-up", follow=True))

    assert "No pair was judged before the time ran out." in page
    assert visitor.submission.state == "lapsed"
    assert not Task.objects.filter(holder=visitor.submission).exists()


def test_what_the_crowd_never_got_waits_for_its_receipt_and_the_page_says_so(campaign, martha):
    with clock.shifted(timedelta(seconds=offered_seconds(LIMIT)) + GRACE + timedelta(minutes=1)):
        collect(campaign, sweep=True)
        page = text(martha.client.get(martha.page))

    (missing,) = missing_work(campaign)
    assert (missing.submission, missing.earned) == (martha.submission, Decimal("0.92"))
    assert "Your work is worth <strong>$0.92</strong>." in page
    assert missing.receipt in page
    assert not Payment.objects.exists()


def test_an_old_posting_whose_crowd_gives_no_more_time_offers_none(crowd, campaign):
    campaign.postings.update(crowd_seconds=None)
    visitor = Visitor(crowd, campaign)

    assert "more-time-box" not in text(visitor.begin())
    assert Submission.objects.get().crowd_ends_at - Submission.objects.get().opened_at == timedelta(
        seconds=LIMIT
    )


# At a crowd that signs arrivals and can pay for tasks that were never submitted.

#: After the crowd's own deadline and the grace period in which its list may still include the submission.
ALL_OVER = timedelta(seconds=offered_seconds(LIMIT)) + GRACE + timedelta(minutes=1)


@pytest.fixture
def signing(fair, monkeypatch):
    monkeypatch.setattr(fair.crowd, "signs_arrivals", True)
    monkeypatch.setattr(fair.crowd, "pays_unsubmitted", True)
    return fair


def test_saved_work_counts_and_is_paid_to_the_cent_once_the_crowds_time_is_over(signing, campaign):
    submission = signing.open_task(campaign, "A1", signed=True)
    left = submission.slots.filter(gold_pair=None).last()
    for slot in submission.slots.exclude(pk=left.pk):
        signing.answer_slot(submission, slot)
    with clock.shifted(ALL_OVER):
        for _ in range(3):
            signing.collect(campaign)
        books = compare_books(campaign)

    submission.refresh_from_db()
    assert (submission.state, submission.standing, submission.task.state) == ("submitted", "counted", "done")
    assert Judgment.objects.counted().count() == 2
    assert Task.objects.filter(state="waiting", task_pairs__pair=left.pair).exists()
    assert [(one.kind, one.amount, one.state) for one in submission.payments.all()] == [
        ("compensation", Decimal("1.64"), "paid")  # 0.20 + 1.80 x 4 / 5
    ]
    assert [(one.amount, one.assignment_id) for one in signing.crowd.paid_bonuses] == [
        (Decimal("1.64"), submission.assignment_id)
    ]
    assert (books.ours, books.theirs, books.differences) == (Decimal("1.64"), Decimal("1.64"), [])
    assert missing_work(campaign) == []


def test_a_refused_payment_for_saved_work_is_owed_again_when_its_settling_is_undone(signing, campaign):
    submission = signing.open_task(campaign, "A1", signed=True)
    signing.answer(submission)
    signing.crowd.fail("pay_bonus", CrowdNever("Worker A1 is here no more", "Look at what was asked."))
    with clock.shifted(ALL_OVER):
        for _ in range(2):
            signing.collect(campaign)
        settle_payments(campaign, submission, why="a gift card")

        assert undo_settlement(campaign, submission, why="it came back") == Decimal("2.00")
        assert [(one.kind, one.state) for one in submission.payments.all()] == [("compensation", "owed")]
        assert allow_retries(campaign) == 1
        pay_owed(campaign)

    assert [(one.kind, one.state) for one in submission.payments.all()] == [("compensation", "paid")]
    assert [one.amount for one in signing.crowd.paid_bonuses] == [Decimal("2.00")]


def test_saved_work_that_nobody_could_have_read_waits_for_a_person(signing, crowd):
    Passage.objects.update(text="word " * 200)
    visitor = Visitor(crowd, campaign := signing.opened())
    visitor.begin()
    submission = visitor.submission
    Submission.objects.filter(pk=submission.pk).update(taken_at=clock.now())
    for slot in visitor.slots():
        visitor.save(slot=slot.number, seconds="0.1")
    with clock.shifted(ALL_OVER):
        for _ in range(2):
            signing.collect(campaign)
        (one,) = held_work(campaign)

        page = text(visitor.client.get(visitor.page))

    assert [(one.kind, one.amount, one.state) for one in submission.payments.all()] == [
        ("compensation", Decimal("2.00"), "held")
    ]
    assert one.why == "5 pairs were judged faster than anybody can read."
    assert "The requester decides whether you are paid $2.00, since the pairs were judged faster" in page
    assert signing.crowd.paid_bonuses == []

    decide_rejection(submission, why="Nobody read this.")
    assert submission.payments.get().state == "rejected"
    told = text(visitor.client.get(visitor.page))
    assert "Not paid, by the requester's decision. Nobody read this." in told
    assert "The task site has received it" not in told
    with pytest.raises(CampaignRefused, match="no pay that could be rejected"):
        decide_rejection(submission, why="Nobody read this.")


def test_saved_work_that_fails_screening_is_paid_and_does_not_count(signing, campaign):
    submission = signing.open_task(campaign, "A1", signed=True)
    signing.answer(submission, pass_gold=False)
    with clock.shifted(ALL_OVER):
        signing.collect(campaign)

    submission.refresh_from_db()
    assert submission.standing == Submission.Standing.EXCLUDED
    assert submission.payments.get().amount == Decimal("2.00")
    assert not Judgment.objects.counted().exists()


def test_a_returned_task_is_neither_sent_off_nor_paid(signing, campaign):
    submission = signing.open_task(campaign, "A1", signed=True)
    signing.answer(submission, only=4)
    place = next(one for one in signing.crowd.posted.values() if one.holder)
    signing.crowd.give_back(place)
    signing.collect(campaign)
    assert Submission.objects.get().state == "held"  # the crowd's list may be older than the page

    with clock.shifted(timedelta(minutes=1)):
        signing.collect(campaign)
    with clock.shifted(ALL_OVER):
        signing.collect(campaign)

    assert Submission.objects.get().state == "returned"
    assert not Payment.objects.exists()


def give_back(fair) -> FakePlace:
    """Let the worker return the task; the next worker on the place gets another assignment."""
    place = next(one for one in fair.crowd.posted.values() if one.holder)
    fair.crowd.give_back(place)
    place.assignment_id = ""
    return place


#: After the crowd's form would have followed ours.
SOON = timedelta(seconds=31)


@pytest.mark.parametrize("timed_out", [False, True])
def test_a_task_sent_off_after_it_was_returned_is_not_paid_and_another_worker_is_paid_for_it(
    signing, campaign, timed_out
):
    returned = signing.open_task(campaign, "A1", signed=True)
    signing.answer(returned, only=4)
    place = give_back(signing)
    (session.run_out if timed_out else session.finish)(returned)

    with clock.shifted(SOON):
        signing.collect(campaign)
    returned.refresh_from_db()
    assert (returned.state, returned.payments.count(), place.closed) == ("returned", 0, False)
    with clock.shifted(SOON + timedelta(seconds=1)):
        other = signing.open_task(campaign, "A2", place, signed=True)
        assert other.task == returned.task
        signing.answer(other)
        signing.send_off(other)
        signing.collect(campaign)
    with clock.shifted(ALL_OVER + GRACE):
        signing.collect(campaign)
        books = compare_books(campaign)

    returned.refresh_from_db()
    assert (returned.state, returned.payments.count()) == ("returned", 0)
    assert (books.ours, books.theirs, books.differences) == (Decimal("2.00"), Decimal("2.00"), [])
    assert missing_work(campaign) == []


def test_a_task_returned_after_it_was_sent_off_is_kept_at_once_and_offered_to_nobody_else(
    signing, campaign, client
):
    submission = signing.open_task(campaign, "A1", signed=True)
    signing.answer(submission)
    session.finish(submission)
    place = next(one for one in signing.crowd.posted.values() if one.holder)
    signing.crowd.give_back(place)
    signing.collect(campaign)
    assert not Payment.objects.exists()  # the crowd's form may be under way

    with clock.shifted(SOON):
        for _ in range(2):
            signing.collect(campaign)
        books = compare_books(campaign)

        page = text(client.get(page_address(submission, "")))

    submission.refresh_from_db()
    assert (submission.standing, submission.task.state, place.closed) == ("counted", "done", True)
    assert (books.ours, books.theirs, books.differences) == (Decimal("2.00"), Decimal("2.00"), [])
    assert "The task site did not receive this task" in page
    assert "The time for this task is over" not in page
    assert "You are paid <strong>$2.00</strong> as a bonus, for the choices we saved" in page


def test_a_place_taken_before_returned_work_was_kept_stays_with_its_new_holder(signing, campaign):
    submission = signing.open_task(campaign, "A1", signed=True)
    signing.answer(submission)
    session.finish(submission)
    place = give_back(signing)
    other = signing.open_task(campaign, "A2", place, signed=True)

    with clock.shifted(SOON):
        signing.collect(campaign)
        assert not place.closed
        signing.answer(other)
        signing.send_off(other)
        signing.collect(campaign)

    other.refresh_from_db()
    assert other.standing == "counted"
    counted = Submission.objects.filter(standing="counted")
    assert Task.objects.filter(state="done").count() == counted.count()
    assert [one.amount for one in submission.payments.all()] == [Decimal("2.00")]
    assert compare_books(campaign).differences == []


def test_an_address_kept_until_the_crowds_time_was_over_opens_no_task(signing, campaign):
    place = signing.crowd.take("A1")
    ids = (place.assignment_id, place.posted.crowd_id, "A1", "")
    late = Arrival(*ids, preview=False, taken_at=clock.now() - timedelta(seconds=offered_seconds(LIMIT)))

    with pytest.raises(WorkRefused, match="lapsed"):
        arrivals.open_task(campaign.postings.get(), late)

    assert not Submission.objects.exists()
    assert not Task.objects.filter(state="held").exists()


def test_where_pay_is_for_the_whole_task_a_person_decides_about_saved_work(signing, fair):
    campaign = fair.opened(pay="whole")
    submission = fair.open_task(campaign, "A1", signed=True)
    fair.answer(submission, only=3)
    with clock.shifted(ALL_OVER):
        fair.collect(campaign)
        (held,) = held_work(campaign)
        assert (held.amount, held.stopped, held.pays_itself_at) == (Decimal("2.00"), True, None)
        pay_held(campaign, submission, amount=Decimal("1.20"), why="three of five")
        fair.collect(campaign)

    assert [one.amount for one in fair.crowd.paid_bonuses] == [Decimal("1.20")]


def test_saved_work_beyond_the_budget_waits_for_its_receipt(signing, campaign):
    submission = signing.open_task(campaign, "A1", signed=True)
    signing.answer(submission)
    Campaign.objects.update(budget=Decimal("1.00"), confirmed_spend=Decimal("1.00"))
    with clock.shifted(ALL_OVER + GRACE):
        signing.collect(campaign)
        signing.collect(campaign)

    assert [one.submission for one in missing_work(campaign)] == [submission]
    assert not Payment.objects.exists()
