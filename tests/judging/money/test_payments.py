from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine

from config import clock
from judging.campaign.cost import money
from judging.crowds.interface import Fees
from judging.errors import CrowdLater, CrowdNever
from judging.intake.collection import collect
from judging.models import CrowdCall, Payment
from judging.money.payments import pay_owed
from judging.page import session
from judging.watching.status import campaign_status

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
    assert pay_owed(campaign) == 2
    assert pay_owed(campaign) == 0

    assert fair.crowd.approvals == [submission.assignment_id]
    assert set(Payment.objects.values_list("state", flat=True)) == {Payment.State.PAID}


@pytest.mark.parametrize("after", [True, False])
def test_lost_reply_of_a_bonus_pays_it_once(fair, after):
    campaign = fair.opened()
    submission = fair.do_task(campaign, "A1")
    collect(campaign, sweep=True)
    fair.crowd.fail("pay_bonus", CrowdLater("no reply"), after=after)

    with pytest.raises(CrowdLater):
        pay_owed(campaign)
    pay_owed(campaign)
    pay_owed(campaign)

    assert [(one.assignment_id, one.amount) for one in fair.crowd.paid_bonuses] == [
        (submission.assignment_id, Decimal("1.80"))
    ]
    assert set(Payment.objects.values_list("state", flat=True)) == {Payment.State.PAID}


def test_a_bonus_whose_token_the_crowd_forgot_is_looked_for_before_it_is_paid_again(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    collect(campaign, sweep=True)
    fair.crowd.fail("pay_bonus", CrowdLater("the reply was lost"), after=True)
    with pytest.raises(CrowdLater):
        pay_owed(campaign)

    fair.crowd.tokens.clear()
    with time_machine.travel(clock.now() + timedelta(hours=25)):
        pay_owed(campaign)

    assert len(fair.crowd.paid_bonuses) == 1
    assert Payment.objects.get(kind="bonus").state == Payment.State.PAID


def test_workers_who_leave_early_are_paid_for_judged_pairs(fair):
    campaign = fair.opened()
    submission = fair.open_task(campaign, "A1")
    fair.answer(submission, only=2)
    session.finish(submission)
    fair.hand_in(submission)

    fair.collect(campaign)

    submission.refresh_from_db()
    assert submission.left_early
    assert fair.crowd.approvals == [submission.assignment_id]
    assert [bonus.amount for bonus in fair.crowd.paid_bonuses] == [Decimal("0.72")]  # 1.80 x 2 / 5
    assert fair.crowd.paid_bonuses[0].reason.startswith("Bonus for 2 of 5 pairs judged.")


def test_nothing_is_paid_before_the_hours_for_a_look_at_it_are_over(fair):
    campaign = fair.opened(hold_hours=24)
    fair.do_task(campaign, "A1")
    fair.collect(campaign)
    assert (fair.crowd.approvals, campaign.submissions.get().standing) == ([], "counted")

    with time_machine.travel(clock.now() + timedelta(hours=24, minutes=1)):
        fair.collect(campaign)

    assert set(Payment.objects.values_list("state", flat=True)) == {Payment.State.PAID}


def test_pay_that_is_not_split_has_no_bonus(fair):
    campaign = fair.opened(pay="whole")
    fair.do_task(campaign, "A1")

    fair.collect(campaign)

    payment = Payment.objects.get()
    assert (payment.kind, payment.amount, payment.state) == ("reward", Decimal("2.00"), "paid")


def test_payment_that_is_refused_for_good_stays_owed_and_holds_up_no_other(fair):
    campaign = fair.opened()
    for worker in ("A1", "A2"):
        fair.do_task(campaign, worker)
    collect(campaign, sweep=True)
    fair.crowd.fail("approve", CrowdNever("it was rejected by hand"))

    assert pay_owed(campaign) == 2  # the other's reward and bonus

    assert CrowdCall.objects.get(state="failed").error_message == "it was rejected by hand"
    status = campaign_status(campaign)
    assert (status["spent"], status["owed"]) == (2.4, 2.4)
    assert "rejected by hand" in status["problems"][0]


def test_money_is_what_is_paid_owed_and_promised_with_fees(fair):
    campaign = fair.opened()
    assert money(campaign) == {
        "spent": 0, "owed": 0, "held": 0, "promised": Decimal("9.60"), "committed": Decimal("9.60")
    }  # fmt: skip
    fair.do_task(campaign, "A1")

    collect(campaign, sweep=True)
    assert money(campaign) == {
        "spent": 0, "owed": Decimal("2.40"), "held": 0, "promised": Decimal("7.20"), "committed": Decimal("9.60")
    }  # fmt: skip

    pay_owed(campaign)
    assert money(campaign) == {
        "spent": Decimal("2.40"), "owed": 0, "held": 0, "promised": Decimal("7.20"), "committed": Decimal("9.60")
    }  # fmt: skip


def test_repeating_an_excluded_workers_task_is_paid_on_top(fair):
    campaign = fair.opened()
    fair.do_task(campaign, "A1", pass_gold=False)

    fair.collect(campaign)

    assert money(campaign)["committed"] == Decimal("12.00")


def test_an_unexpected_error_in_one_payment_delays_no_other_and_is_raised(fair):
    campaign = fair.opened()
    for worker in ("A1", "A2"):
        fair.do_task(campaign, worker)
    collect(campaign, sweep=True)
    fair.crowd.fail("approve", ValueError("a defect"))

    with pytest.raises(ValueError, match="a defect"):
        pay_owed(campaign)

    assert Payment.objects.filter(state=Payment.State.PAID).count() == 2  # the other's reward and bonus
    assert pay_owed(campaign) == 2
