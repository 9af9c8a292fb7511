"""Rejections are people's decisions and can be reversed."""

from decimal import Decimal

import pytest

from judging.campaign.cost import money
from judging.campaign.reservations import reserved_for
from judging.errors import CampaignRefused, CrowdLater, CrowdNever
from judging.intake.collection import collect
from judging.jobs import collect_job as collect_and_pay
from judging.launch.closure import close
from judging.models import Judgment, Payment, Submission
from judging.money import rejections
from judging.money.held_pay import held_work, pay_held
from judging.money.payments import pay_owed
from judging.money.rejections import override_rejection, reject, submission_of


@pytest.fixture
def campaign(fair):
    return fair.opened()


@pytest.fixture
def submission(fair, campaign):
    """A collected submission that is not paid yet."""
    done = fair.do_task(campaign, "A1")
    collect(campaign, sweep=True)
    return done


def states():
    return dict(Payment.objects.values_list("kind", "state"))


def test_a_rejection_states_its_reason_and_pays_nothing(fair, campaign, submission):
    reject(campaign, submission, why="a script sent it", who="ada")
    pay_owed(campaign)

    assert fair.crowd.rejections == {submission.assignment_id: "a script sent it"}
    assert states() == {"reward": "rejected", "bonus": "rejected"}
    assert fair.crowd.approvals == fair.crowd.paid_bonuses == []
    assert Payment.objects.get(kind="reward").decided_by == "ada"
    assert Judgment.objects.filter(submission=submission).counted().exists()
    change = campaign.changes.latest("pk")
    assert (change.what, change.why) == (f"submission {submission.pk} rejected", "a script sent it")


def test_a_rejection_that_is_overridden_is_paid_with_its_bonus(fair, campaign, submission):
    reject(campaign, submission, why="a script sent it")
    override_rejection(campaign, submission, why="it was a person", who="ada")
    pay_owed(campaign)

    assert fair.crowd.approvals == [submission.assignment_id]
    assert len(fair.crowd.paid_bonuses) == 1
    assert states() == {"reward": "paid", "bonus": "paid"}
    assert set(Payment.objects.values_list("decided_by", "decided_why", "decided_at")) == {("", "", None)}


def test_paid_and_rejected_submissions_cannot_be_rejected(campaign, submission):
    pay_owed(campaign)

    with pytest.raises(CampaignRefused, match="already paid"):
        reject(campaign, submission, why="too late")
    with pytest.raises(CampaignRefused, match="is not rejected"):
        override_rejection(campaign, submission)


def test_a_crowd_that_refuses_the_rejection_leaves_the_payment_owed(fair, campaign, submission):
    fair.crowd.approve(submission.assignment_id)

    with pytest.raises(CrowdNever):
        reject(campaign, submission, why="a script sent it")
    pay_owed(campaign)

    assert states() == {"reward": "paid", "bonus": "paid"}


def test_a_rejection_whose_reply_was_lost_is_asked_again_by_the_same_command(fair, campaign, submission):
    fair.crowd.fail("reject", CrowdLater("no reply"), after=True)
    with pytest.raises(CrowdLater):
        reject(campaign, submission, why="a script sent it")
    pay_owed(campaign)
    assert fair.crowd.approvals == []

    reject(campaign, submission, why="a script sent it")

    assert states() == {"reward": "rejected", "bonus": "rejected"}


@pytest.mark.parametrize("why", ["", " ", "x" * 1025])
def test_a_rejection_needs_a_reason(campaign, submission, why):
    with pytest.raises(CampaignRefused, match="needs a reason"):
        reject(campaign, submission, why=why)


def test_a_submission_is_named_by_its_assignment_or_its_receipt(campaign, submission):
    receipt = f"{submission.pk}-{submission.assignment_id[-6:]}"

    assert submission_of(campaign, submission.assignment_id) == submission
    assert submission_of(campaign, receipt) == submission
    for word in ("nobody", f"{submission.pk}-", f"{submission.pk}-WRONG1"):
        with pytest.raises(CampaignRefused, match="with the assignment id or receipt"):
            submission_of(campaign, word)


def test_a_rejection_whose_reply_was_lost_is_carried_out_by_the_next_collection(fair, campaign, submission):
    fair.crowd.fail("reject", CrowdLater("the reply was lost"), after=True)
    with pytest.raises(CrowdLater):
        reject(campaign, submission, why="a script sent it", who="ada")
    assert states() == {"reward": "owed", "bonus": "owed"}

    collect_and_pay(progress=lambda *_: None, campaign_id=campaign.pk)
    collect_and_pay(progress=lambda *_: None, campaign_id=campaign.pk)

    assert states() == {"reward": "rejected", "bonus": "rejected"}
    assert [row.who for row in campaign.changes.filter(what__contains="rejected")] == ["ada"]


def test_a_rejection_with_a_lost_reply_can_be_reversed(fair, campaign, submission):
    fair.crowd.fail("reject", CrowdLater("the reply was lost"), after=True)
    with pytest.raises(CrowdLater):
        reject(campaign, submission, why="a script sent it")

    override_rejection(campaign, submission, why="it was a person")
    pay_owed(campaign)

    assert states() == {"reward": "paid", "bonus": "paid"}
    assert fair.crowd.approvals == [submission.assignment_id]


def test_reversing_a_rejection_does_not_wait_for_another(fair, campaign, submission):
    other = fair.do_task(campaign, "A2")
    collect(campaign, sweep=True)
    reject(campaign, submission, why="a script sent it")
    fair.crowd.fail("reject", CrowdLater("away"))
    with pytest.raises(CrowdLater):
        reject(campaign, other, why="a script sent it, too")
    fair.crowd.fail("reject", CrowdLater("away still"))

    override_rejection(campaign, submission, why="it was a person")

    assert fair.crowd.approvals == [submission.assignment_id]


def test_a_late_job_does_not_repeat_a_reversed_rejection(fair, campaign, submission):
    reject(campaign, submission, why="a script sent it")
    stale = Payment.objects.get(kind="reward")
    override_rejection(campaign, submission, why="it was a person")

    rejections._reject_at_crowd(campaign, stale)
    pay_owed(campaign)

    assert states() == {"reward": "paid", "bonus": "paid"}


def test_a_bonus_that_only_the_form_claims_stays_held_when_a_rejection_is_taken_back(fair, campaign):
    fair.crowd.hand_in(fair.crowd.take("AFORGER"), {f"choice-{number}": "left" for number in range(1, 6)})
    collect(campaign, sweep=True)
    claimed = Submission.objects.get()
    reject(campaign, claimed, why="no pair was judged")

    override_rejection(campaign, claimed, why="goodwill", who="ada")
    pay_owed(campaign)

    assert states() == {"reward": "paid", "bonus": "held"}
    assert fair.crowd.paid_bonuses == []
    (held,) = held_work(campaign)
    assert (held.amount, held.rejects_itself_at) == (Decimal("1.80"), None)
    pay_held(campaign, claimed, amount=Decimal(0), why="nothing was judged", who="ada")
    assert states() == {"reward": "paid", "bonus": "rejected"}


def test_work_rejected_while_others_are_paid_is_not_paid(fair, campaign, submission, monkeypatch):
    last = fair.do_task(campaign, "A2")
    collect(campaign, sweep=True)
    approve = fair.crowd.approve

    def approve_and_decide(assignment_id, **how):
        if assignment_id == submission.assignment_id:
            rejections.decide_rejection(last, why="a script sent it", who="ada")
        approve(assignment_id, **how)

    monkeypatch.setattr(fair.crowd, "approve", approve_and_decide)
    pay_owed(campaign)
    rejections.carry_out_rejections(campaign)

    assert fair.crowd.approvals == [submission.assignment_id]
    assert fair.crowd.rejections == {last.assignment_id: "a script sent it"}


@pytest.fixture
def closed(fair, campaign, submission):
    """The campaign, closed after all its work was rejected."""
    for worker in ("A2", "A3", "A4"):
        fair.do_task(campaign, worker)
    collect(campaign, sweep=True)
    for one in Submission.objects.all():
        reject(campaign, one, why="a script sent it")
    close(campaign)
    collect_and_pay(progress=lambda *_: None, campaign_id=campaign.pk)
    campaign.refresh_from_db()
    assert (campaign.state, reserved_for(campaign)) == ("closed", 0)
    return campaign


def test_a_reversed_rejection_of_a_closed_campaign_counts_as_spent_again(closed, submission):
    override_rejection(closed, submission, why="it was a person", who="ada")
    pay_owed(closed)

    assert reserved_for(closed) == money(closed)["spent"] == Decimal("2.40")
    assert closed.reservations.latest("pk").who == "ada"


def test_a_rejection_is_not_reversed_beyond_the_installations_cap(fair, closed, submission, settings):
    settings.SPENDING_CAP = Decimal("2.39")

    with pytest.raises(CampaignRefused, match="exceed this installation's cap"):
        override_rejection(closed, submission, why="it was a person")

    assert fair.crowd.approvals == []
    assert set(submission.payments.values_list("state", flat=True)) == {"rejected"}


def test_a_reversal_that_the_crowd_refuses_reserves_nothing(fair, closed, submission):
    fair.crowd.fail("approve", CrowdNever("more than 30 days ago"))

    with pytest.raises(CrowdNever):
        override_rejection(closed, submission, why="it was a person")

    assert reserved_for(closed) == 0
