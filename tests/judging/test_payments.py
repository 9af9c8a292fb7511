from __future__ import annotations

from decimal import Decimal

import pytest

from judging.crowds.seam import Fees
from judging.errors import CrowdLater, CrowdNever
from judging.models import CrowdCall, Payment
from judging.services.collecting import collect
from judging.services.payments import money, pay_owed
from judging.services.status import campaign_status

FEES = Fees(share=Decimal("0.20"), least=Decimal("0.01"))


@pytest.mark.parametrize(
    ("reward", "fee"),
    [("2.00", "0.40"), ("0.01", "0.01"), ("0.12", "0.02"), ("0.13", "0.03"), ("0.00", "0.00")],
)
def test_fee_is_a_fifth_rounded_half_up_and_at_least_a_cent(reward, fee):
    assert FEES.on(Decimal(reward)) == Decimal(fee)


def test_lost_reply_of_an_approval_pays_once(fair):
    campaign = fair.opened()
    submission = fair.do_task(campaign, "A1")
    collect(campaign, sweep=True)
    fair.crowd.fail("approve", CrowdLater("the reply was lost"), after=True)

    with pytest.raises(CrowdLater):
        pay_owed(campaign)
    assert pay_owed(campaign) == 1
    assert pay_owed(campaign) == 0

    assert fair.crowd.approvals == [submission.assignment_id]
    assert Payment.objects.get().state == Payment.State.PAID


def test_payment_that_is_refused_for_good_stays_owed_and_holds_up_no_other(fair):
    campaign = fair.opened()
    for worker in ("A1", "A2"):
        fair.do_task(campaign, worker)
    collect(campaign, sweep=True)
    fair.crowd.fail("approve", CrowdNever("it was rejected by hand"))

    assert pay_owed(campaign) == 1

    assert CrowdCall.objects.get(state="failed").error_message == "it was rejected by hand"
    status = campaign_status(campaign)
    assert (status["spent"], status["owed"]) == (2.4, 2.4)
    assert "rejected by hand" in status["problems"][0]


def test_money_is_what_is_paid_owed_and_promised_with_fees(fair):
    campaign = fair.opened()
    assert money(campaign) == {"spent": 0, "owed": 0, "committed": Decimal("9.60")}
    fair.do_task(campaign, "A1")

    collect(campaign, sweep=True)
    assert money(campaign) == {"spent": 0, "owed": Decimal("2.40"), "committed": Decimal("9.60")}

    pay_owed(campaign)
    assert money(campaign) == {"spent": Decimal("2.40"), "owed": 0, "committed": Decimal("9.60")}


def test_repeating_an_excluded_workers_task_is_paid_on_top(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1", pass_gold=False)

    fair.collect(campaign)

    assert money(campaign)["committed"] == Decimal("12.00")
