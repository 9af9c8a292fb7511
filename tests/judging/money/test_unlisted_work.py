"""A submission that the crowd never listed is paid by its receipt, once, whatever the crowd does later."""

import io
import json
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command

from config import clock
from judging.campaign.cost import money
from judging.errors import CampaignRefused, CrowdLater, CrowdNever
from judging.intake.collection import collect
from judging.models import Campaign, CrowdCall, Discrepancy, Payment, Submission
from judging.money.discrepancies import receipt_of
from judging.money.held_pay import held_work
from judging.money.ledger import compare_books
from judging.money.payments import make_payment, pay_owed, payment_key, possible_keys
from judging.money.refused_payments import (
    refused_payments,
    settle_payments,
    settled_payments,
    undo_settlement,
)
from judging.money.rejections import reject
from judging.money.unlisted_work import ANOTHER_WAY, BONUS, missing_by_receipt, missing_work, pay_missing
from judging.page import session
from judging.people.rights import forget_worker
from judging.rules.deadlines import GRACE, offered_seconds


@pytest.fixture
def campaign(fair):
    return fair.opened()


@pytest.fixture
def lost(fair, campaign) -> Submission:
    """A task that A1 submitted here and that the crowd did not list before its time was over."""
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission)
    session.finish(submission)
    with clock.shifted(
        timedelta(seconds=offered_seconds(campaign.assignment_seconds)) + GRACE + timedelta(minutes=1)
    ):
        collect(campaign, sweep=True)
    submission.refresh_from_db()
    assert submission.state == Submission.State.LAPSED
    return submission


@pytest.fixture
def paid(fair, campaign) -> Submission:
    """Another task of A1, which is paid."""
    submission = fair.do_task(campaign, "A1")
    fair.collect(campaign)
    return submission


def test_it_is_paid_as_a_bonus_on_another_assignment_and_the_books_agree(fair, campaign, lost, paid):
    (missing,) = missing_work(campaign)
    assert (missing.receipt, missing.earned, missing.carrier) == (receipt_of(lost), Decimal("2.00"), paid)
    fair.crowd.fail("pay_bonus", CrowdLater("the reply was lost"), after=True)

    assert pay_missing(campaign, lost, way=BONUS, why="the crowd lost it", who="ada") == Decimal("2.00")
    with pytest.raises(CrowdLater):
        pay_owed(campaign)
    pay_owed(campaign)

    carried = [one.amount for one in fair.crowd.paid_bonuses if "task site did not record" in one.reason]
    assert carried == [Decimal("2.00")]
    assert compare_books(campaign).differences == []
    assert missing_work(campaign) == []
    assert Discrepancy.objects.get().resolution == "paid by the receipt: bonus"
    assert campaign.changes.latest("pk").who == "ada"


def test_without_an_assignment_to_carry_it_a_person_pays_another_way_and_can_undo_that(campaign, lost):
    with pytest.raises(CampaignRefused, match="no paid assignment"):
        pay_missing(campaign, lost, way=BONUS, why="the crowd lost it")

    pay_missing(campaign, lost, way=ANOTHER_WAY, why="bank transfer on 3 May", who="ada")
    payment = settled_payments(campaign).get()
    assert (payment.kind, payment.decided_by, payment.decided_why) == (
        "compensation",
        "ada",
        "bank transfer on 3 May",
    )
    assert (money(campaign)["owed"], pay_owed(campaign)) == (0, 0)

    assert undo_settlement(campaign, lost) == Decimal("2.00")
    assert [one.submission for one in missing_work(campaign)] == [lost]


@pytest.mark.parametrize("way", [BONUS, ANOTHER_WAY])
def test_it_is_paid_once_and_what_the_crowd_lists_afterwards_is_held(fair, campaign, lost, paid, way):
    pay_missing(campaign, lost, way=way, why="the crowd lost it")
    with pytest.raises(CampaignRefused, match="in the meantime"):
        pay_missing(campaign, lost, way=way, why="again")

    fair.hand_in(lost)
    fair.collect(campaign)

    kinds = dict(lost.payments.values_list("kind", "state"))
    assert kinds == {"compensation": "paid" if way == BONUS else "settled", "reward": "held"}
    assert lost.assignment_id not in fair.crowd.approvals
    (held,) = held_work(campaign)
    assert (held.amount, held.why) == (
        Decimal("0.20"),
        "It was paid by its receipt before the crowd listed it.",
    )
    assert compare_books(campaign).differences == []
    lost.refresh_from_db()
    assert lost.standing == "counted"


def test_what_the_crowd_lists_first_is_paid_as_usual_and_not_by_its_receipt(fair, campaign, lost, paid):
    fair.hand_in(lost)
    fair.collect(campaign)

    assert missing_work(campaign) == []
    with pytest.raises(CampaignRefused, match="in the meantime"):
        pay_missing(campaign, lost, way=BONUS, why="late")
    assert not Payment.objects.exclude(state="paid").exists()


def test_a_bonus_that_the_crowd_refuses_for_good_is_settled_another_way(fair, campaign, lost, paid):
    pay_missing(campaign, lost, way=BONUS, why="the crowd lost it")
    fair.crowd.fail("pay_bonus", CrowdNever("the account is gone"))
    pay_owed(campaign)
    assert [one.payment.kind for one in refused_payments(campaign)] == ["compensation"]

    assert settle_payments(campaign, lost, why="a gift card") == Decimal("2.00")
    forget_worker(paid.worker)


def test_it_keeps_to_the_budget_and_needs_a_reason(campaign, lost, paid):
    with pytest.raises(CampaignRefused, match="State why"):
        pay_missing(campaign, lost, way=BONUS, why=" ")
    Campaign.objects.update(budget=money(campaign)["committed"])
    campaign.refresh_from_db()
    with pytest.raises(CampaignRefused, match="would exceed the budget"):
        pay_missing(campaign, lost, way=BONUS, why="the crowd lost it")


def test_a_receipt_names_only_what_waits_for_pay(fair, campaign, lost, paid):
    assert missing_by_receipt(campaign, receipt_of(lost)) == lost
    for word in (receipt_of(paid), f"{lost.pk}-XXXXXX", "no receipt"):
        with pytest.raises(CampaignRefused, match="with the receipt"):
            missing_by_receipt(campaign, word)


def test_a_reward_that_was_compensated_can_be_rejected(fair, campaign, lost, paid):
    pay_missing(campaign, lost, way=BONUS, why="the crowd lost it")
    fair.hand_in(lost)
    fair.collect(campaign)

    reject(campaign, lost, why="You were paid $2.00 for it as a bonus.")

    assert dict(lost.payments.values_list("kind", "state")) == {"compensation": "paid", "reward": "rejected"}


def run(*words: str) -> dict:
    out = io.StringIO()
    call_command(*words, "--json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def test_the_command_lists_pays_and_takes_back(campaign, lost):
    receipt = receipt_of(lost)
    (row,) = run("pay_receipt", "fair")["missing"]
    assert (row["receipt"], row["earned"], row["ways"]) == (receipt, 2.0, ["another way"])

    assert run("pay_receipt", "fair", receipt, "--why", "bank transfer")["paid"] == 2.0
    assert run("settle_payment", "fair", receipt, "--undo")["owed_again"] == 2.0
    assert len(run("pay_receipt", "fair")["missing"]) == 1


@pytest.fixture
def shared(fair, campaign) -> list[Payment]:
    """Payments by receipt to A1 and A2 for one assignment id, which the crowd reused after A1 returned the task."""
    for name in ("A1", "A2"):
        fair.do_task(campaign, name)
    fair.collect(campaign)
    first = fair.open_task(campaign, "A1")
    place = next(one for one in fair.crowd.posted.values() if one.assignment_id == first.assignment_id)
    fair.answer(first)
    session.finish(first)
    fair.crowd.give_back(place)
    second = fair.open_task(campaign, "A2", place)
    fair.answer(second)
    session.finish(second)
    assert first.assignment_id == second.assignment_id
    with clock.shifted(timedelta(seconds=offered_seconds(campaign.assignment_seconds), hours=1) + GRACE):
        collect(campaign, sweep=True)
    for submission in (first, second):
        pay_missing(campaign, submission, way=BONUS, why="the crowd lost it")
    return list(Payment.objects.filter(kind="compensation").order_by("pk"))


def sent_by_receipt(fair) -> list[str]:
    bonuses = [one for one in fair.crowd.paid_bonuses if "task site did not record" in one.reason]
    return [one.crowd_worker_id for one in bonuses]


def pay_late(campaign) -> None:
    with clock.shifted(timedelta(hours=30)):
        pay_owed(campaign)
        pay_owed(campaign)


def test_two_workers_with_one_assignment_id_are_each_paid_once(fair, campaign, shared):
    pay_late(campaign)

    assert sent_by_receipt(fair) == ["A1", "A2"]
    assert set(Payment.objects.values_list("state", flat=True)) == {"paid"}
    assert compare_books(campaign).differences == []


@pytest.mark.parametrize("lost_record", ["none", "payment", "call"])
def test_a_payment_begun_with_an_earlier_versions_key_is_not_sent_again(fair, campaign, shared, lost_record):
    first, second = shared
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("judging.money.payments.payment_key", lambda *of: possible_keys(*of)[-1])
        make_payment(campaign, fair.crowd, first)
    if lost_record != "none":  # the process died, or an older backup was restored
        Payment.objects.filter(pk=first.pk).update(state=Payment.State.OWED, call=None, paid_at=None)
    if lost_record == "call":
        CrowdCall.objects.filter(operation="pay_compensation").delete()

    pay_late(campaign)

    assert sent_by_receipt(fair) == ["A1", "A2"]
    assert set(Payment.objects.values_list("state", flat=True)) == {"paid"}
    keys = [payment_key(campaign, one) for one in shared]
    assert keys[1] == possible_keys(campaign, second)[0]
    assert (keys[0] == possible_keys(campaign, first)[-1]) == (lost_record != "call")


def test_a_refusal_with_an_earlier_key_stops_only_its_own_payment(fair, campaign, shared):
    first, _ = shared
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("judging.money.payments.payment_key", lambda *of: possible_keys(*of)[-1])
        fair.crowd.fail("pay_bonus", CrowdNever("the account is gone"))
        with pytest.raises(CrowdNever):
            make_payment(campaign, fair.crowd, first)
    settle_payments(campaign, first.submission, why="a gift card")

    pay_late(campaign)

    assert refused_payments(campaign) == []
    assert sent_by_receipt(fair) == ["A2"]
