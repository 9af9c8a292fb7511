"""Payments that the crowd permanently refuses are settled by a person, once, and can be owed again."""

import io
import json
from decimal import Decimal

import pytest
from django.core.management import call_command

from judging.campaign.cost import money
from judging.errors import CampaignRefused, CrowdNever
from judging.exchange.calls import allow_retries
from judging.intake.collection import collect
from judging.intake.places import close_places
from judging.launch.closure import close, finish_closing
from judging.models import Campaign, Payment, RightsRequest, Worker
from judging.money.discrepancies import receipt_of
from judging.money.ledger import ledger
from judging.money.payments import pay_owed
from judging.money.refused_payments import (
    refused_payments,
    settle_payments,
    settled_payments,
    undo_settlement,
)
from judging.people.rights import forget_worker
from judging.watching.status import campaign_status

GONE = CrowdNever("Worker A1 is here no more", "Look at what was asked.")


@pytest.fixture
def campaign(fair):
    return fair.opened()


@pytest.fixture
def submission(fair, campaign):
    """A submission whose bonus the crowd refuses permanently; its reward is paid."""
    done = fair.do_task(campaign, "A1")
    collect(campaign, sweep=True)
    fair.crowd.fail("pay_bonus", GONE)
    pay_owed(campaign)
    return done


def states():
    return dict(Payment.objects.values_list("kind", "state"))


def test_a_refused_bonus_is_listed_and_settled(campaign, submission):
    assert [(one.payment.kind, one.said) for one in refused_payments(campaign)] == [
        ("bonus", "Worker A1 is here no more")
    ]
    assert "manage.py settle_payment fair" in campaign_status(campaign)["problems"][0]
    before = money(campaign)

    assert settle_payments(campaign, submission, why=" a gift card ", who="ada") == Decimal("1.80")

    assert states() == {"reward": "paid", "bonus": "settled"}
    payment = settled_payments(campaign).get()
    assert (payment.decided_by, payment.decided_why) == ("ada", "a gift card")
    assert refused_payments(campaign) == campaign_status(campaign)["problems"] == []
    after = money(campaign)
    assert (before["owed"] - after["owed"], before["spent"]) == (Decimal("2.16"), after["spent"])
    assert ("bonus", "settled", 1) in {
        (row["kind"], row["state"], row["payments"]) for row in ledger(campaign)["rows"]
    }
    assert "$1.80" in campaign.changes.latest("pk").what


def test_settled_payments_are_never_paid_by_the_crowd(fair, campaign, submission):
    settle_payments(campaign, submission, why="a gift card")

    assert allow_retries(campaign) == 0
    assert pay_owed(campaign) == 0
    assert fair.crowd.paid_bonuses == []


def test_reopened_payments_are_paid_at_the_next_call(fair, campaign, submission):
    settle_payments(campaign, submission, why="a gift card")

    assert undo_settlement(campaign, submission, why="it came back", who="ada") == Decimal("1.80")
    assert allow_retries(campaign) == 1
    pay_owed(campaign)

    assert [bonus.amount for bonus in fair.crowd.paid_bonuses] == [Decimal("1.80")]
    assert states() == {"reward": "paid", "bonus": "paid"}
    with pytest.raises(CampaignRefused, match="Nothing was settled"):
        undo_settlement(campaign, submission)


def test_a_bonus_is_settled_with_the_reward_that_it_follows(fair, campaign):
    done = fair.do_task(campaign, "A1")
    collect(campaign, sweep=True)
    fair.crowd.fail("approve", GONE)
    pay_owed(campaign)
    assert [one.payment.kind for one in refused_payments(campaign)] == ["reward", "bonus"]

    assert settle_payments(campaign, done, why="nobody can be paid: the account is gone") == Decimal("2.00")

    assert states() == {"reward": "settled", "bonus": "settled"}
    assert pay_owed(campaign) == 0


def test_only_refused_payments_can_be_settled(fair, campaign):
    done = fair.do_task(campaign, "A1")
    collect(campaign, sweep=True)

    with pytest.raises(CampaignRefused, match="has not refused a payment"):
        settle_payments(campaign, done, why="a gift card")
    assert states() == {"reward": "owed", "bonus": "owed"}


@pytest.mark.parametrize("why", ["", "   ", "x" * 1001])
def test_settling_needs_a_reason_of_valid_length(campaign, submission, why):
    with pytest.raises(CampaignRefused, match="State how it was settled"):
        settle_payments(campaign, submission, why=why)
    assert states()["bonus"] == "owed"


def test_settling_twice_settles_once(campaign, submission):
    settle_payments(campaign, submission, why="a gift card")
    with pytest.raises(CampaignRefused, match="has not refused a payment"):
        settle_payments(campaign, submission, why="a gift card")
    assert settled_payments(campaign).count() == 1


def test_a_campaign_that_waits_for_it_alone_closes(fair, campaign, submission):
    close(campaign)
    close_places(campaign)
    fair.collect(campaign)
    assert not finish_closing(campaign)

    settle_payments(campaign, submission, why="a gift card")
    fair.collect(campaign)

    assert finish_closing(campaign)
    assert Campaign.objects.get(pk=campaign.pk).state == "closed"


def test_a_worker_whose_pay_is_settled_can_be_forgotten(campaign, submission):
    worker = Worker.objects.get(pk=submission.worker_id)
    with pytest.raises(CampaignRefused, match="still owed") as refused:
        forget_worker(worker)
    assert "manage.py settle_payment fair" in refused.value.next_step

    settle_payments(campaign, submission, why="a gift card")
    forget_worker(worker)

    assert RightsRequest.objects.get().worker_id == worker.pk


def run(*words: str) -> dict:
    out = io.StringIO()
    call_command(*words, "--json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def test_the_command_lists_settles_and_takes_back(campaign, submission):
    receipt = receipt_of(submission)
    assert run("settle_payment", "fair")["refused"] == [
        {
            "submission": receipt,
            "worker": submission.worker_id,
            "kind": "bonus",
            "amount": 1.8,
            "said": "Worker A1 is here no more",
        }
    ]
    assert run("settle_payment", "fair", receipt, "--why", "a gift card") == {
        "campaign": "fair",
        "settled": 1.8,
        "refused": [],
    }
    assert run("settle_payment", "fair", receipt, "--undo")["owed_again"] == 1.8
