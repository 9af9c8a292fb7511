"""Work that never reached the crowd's list: kept once, never paid beside listed work, and always screened."""

from datetime import timedelta
from decimal import Decimal

import pytest

from config import clock
from judging.errors import CrowdLater, WorkRefused
from judging.intake import collection
from judging.intake.collection import collect
from judging.models import GoldAnswer, Payment, Submission, Task
from judging.money.payments import pay_owed
from judging.money.rejections import override_rejection, reject
from judging.money.top_ups import owe_top_ups
from judging.page import session
from judging.rules.deadlines import GRACE, offered_seconds
from tests.judging.cast import Fair


@pytest.fixture
def signing(fair, monkeypatch):
    """A campaign at a crowd that signs arrivals and pays for unsubmitted work."""
    monkeypatch.setattr(fair.crowd, "signs_arrivals", True)
    monkeypatch.setattr(fair.crowd, "pays_unsubmitted", True)
    return fair


def finished(signing, campaign, name="A1", **answers):
    submission = signing.open_task(campaign, name, signed=True)
    signing.answer(submission, **answers)
    session.finish(submission)
    return submission


def over(campaign):
    return timedelta(seconds=offered_seconds(campaign.assignment_seconds)) + GRACE + timedelta(minutes=1)


def test_kept_work_is_settled_after_a_process_was_killed(signing, monkeypatch):
    campaign = signing.opened()
    submission = finished(signing, campaign)
    with monkeypatch.context() as patch, clock.shifted(over(campaign)):
        patch.setattr(
            collection, "settle_submission", lambda *_: (_ for _ in ()).throw(RuntimeError("killed"))
        )
        with pytest.raises(RuntimeError):
            collect(campaign)
    submission.refresh_from_db()
    assert submission.standing == Submission.Standing.PENDING

    with clock.shifted(over(campaign) + timedelta(minutes=1)):
        collect(campaign)
        collect(campaign)

    submission.refresh_from_db()
    assert submission.standing == Submission.Standing.COUNTED
    assert Task.objects.get(pk=submission.task_id).state == Task.State.DONE
    assert Payment.objects.filter(submission=submission).count() == 1


def test_listed_work_is_not_also_kept_if_the_sweep_fails(signing):
    campaign = signing.opened()
    submission = finished(signing, campaign)
    signing.hand_in(submission)

    with clock.shifted(over(campaign)):
        signing.crowd.fail("places", CrowdLater("starting"))
        with pytest.raises(CrowdLater):
            collect(campaign)
    with clock.shifted(over(campaign) + timedelta(minutes=2)):
        collect(campaign)

    kinds = Payment.objects.filter(submission=submission).values_list("kind", flat=True)
    assert sorted(kinds) == sorted({Payment.Kind.REWARD, Payment.Kind.BONUS})


@pytest.mark.parametrize("returns", [False, True])
def test_a_worker_who_fails_waits_until_the_work_is_collected(crowd, db, monkeypatch, returns):
    monkeypatch.setattr(crowd, "signs_arrivals", True)
    monkeypatch.setattr(crowd, "pays_unsubmitted", True)
    big = Fair(crowd, queries=12, name="big")
    campaign = big.opened_afresh(max_tasks_per_worker=12, gold_per_task=2)
    done, reasons = 0, []
    for number in range(4):
        with clock.shifted(timedelta(seconds=4 * number)):
            try:
                submission = finished(big, campaign, pass_gold=False)
            except WorkRefused as refused:
                reasons.append(refused.reason)
                continue
            done += 1
            place = next(
                one for one in crowd.posted.values() if one.assignment_id == submission.assignment_id
            )
            if returns:
                crowd.give_back(place)
                place.assignment_id = ""
                crowd.tokens[f"returned-{number}"] = ""  # the next assignment has another id
            else:
                big.hand_in(submission)

    assert (done, set(reasons)) == (1, {"not-ready"} if returns else {"excluded"})
    with clock.shifted(timedelta(seconds=100)):
        collect(campaign)
    assert GoldAnswer.objects.confirmed().filter(passed=False).exists()
    with clock.shifted(timedelta(seconds=110)), pytest.raises(WorkRefused) as refused:
        finished(big, campaign)
    assert refused.value.reason == "excluded"


def test_kept_work_is_topped_up_like_listed_work(signing):
    campaign = signing.opened()
    submission = finished(signing, campaign)
    with clock.shifted(over(campaign)):
        collect(campaign)
        pay_owed(campaign)
        Submission.objects.update(finished_at=submission.opened_at + timedelta(seconds=600))
        owe_top_ups(campaign, Decimal("15"))

        assert pay_owed(campaign) == 1

    paid = Payment.objects.filter(submission=submission, state=Payment.State.PAID)
    assert dict(paid.values_list("kind", "amount")) == {
        "compensation": Decimal("2.00"),
        "top_up": Decimal("0.50"),
    }
    assert {bonus.assignment_id for bonus in signing.crowd.paid_bonuses} == {submission.assignment_id}


def test_kept_work_can_be_rejected_before_it_is_paid_and_paid_after_all(signing):
    """Otherwise a worker who returns each finished task could not be refused pay."""
    campaign = signing.opened(hold_hours=24)
    submission = finished(signing, campaign)
    with clock.shifted(over(campaign)):
        collect(campaign)
        reject(campaign, submission, why="a script sent it", who="ada")
    with clock.shifted(over(campaign) + timedelta(hours=25)):
        assert pay_owed(campaign) == 0
        assert campaign.changes.latest("pk").what == f"submission {submission.pk} rejected"

        override_rejection(campaign, submission, why="it was a person")
        assert pay_owed(campaign) == 1

    assert signing.crowd.calls["reject"] == signing.crowd.calls["approve"] == 0
    assert submission.payments.get().state == Payment.State.PAID
