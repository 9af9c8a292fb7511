"""Top-ups of pay that turned out too low."""

from datetime import timedelta
from decimal import Decimal

import pytest

from judging.errors import CampaignRefused
from judging.models import Campaign, Payment, Submission
from judging.money.held_pay import pay_held
from judging.money.payments import pay_owed
from judging.money.top_ups import owe_top_ups, plan_top_up
from judging.page import session
from judging.people.rights import forget_worker
from pooling.models import Passage

LEAST = Decimal("15")


@pytest.fixture
def slow(fair):
    """Three whole tasks of 600 seconds (at $2.00: $12 an hour), and one left after two of five pairs."""
    campaign = fair.opened()
    for worker in ("A1", "A2", "A3"):
        fair.do_task(campaign, worker)
    early = fair.open_task(campaign, "A4")
    fair.answer(early, only=2)
    session.finish(early)
    fair.hand_in(early)
    fair.collect(campaign)
    for submission in Submission.objects.all():
        submission.finished_at = submission.opened_at + timedelta(seconds=600)
        submission.save()
    return campaign


def topped_up():
    rows = Payment.objects.filter(kind="top_up").order_by("amount", "pk")
    return [(row.amount, row.state) for row in rows]


def test_forgotten_workers_cannot_be_topped_up(slow):
    submission = Submission.objects.order_by("pk").first()
    forget_worker(submission.worker)

    assert submission.pk not in owe_top_ups(slow, LEAST).owed
    pay_owed(slow)
    assert not Payment.objects.exclude(state="paid").exists()


def test_the_speed_of_the_careless_does_not_lower_what_others_get(fair, slow):
    careless = fair.do_task(slow, "AFAST", pass_gold=False)
    fair.collect(slow)
    Submission.objects.filter(pk=careless.pk).update(finished_at=careless.opened_at + timedelta(seconds=5))

    assert plan_top_up(slow, LEAST).median_seconds == 600


def test_everybody_gets_the_difference_and_early_leavers_a_share(fair, slow):
    plan = owe_top_ups(slow, LEAST, who="ada")
    pay_owed(slow)

    assert (plan.median_seconds, plan.hourly) == (600, Decimal("12.00"))
    assert topped_up() == [(Decimal("0.20"), "paid"), *[(Decimal("0.50"), "paid")] * 3]
    assert sum(bonus.amount for bonus in fair.crowd.paid_bonuses if "Top-up" in bonus.reason) == Decimal(
        "1.70"
    )
    assert slow.changes.latest("pk").who == "ada"


def test_a_second_run_owes_only_what_is_new(fair, slow):
    owe_top_ups(slow, LEAST)
    pay_owed(slow)

    assert owe_top_ups(slow, LEAST).owed == {}
    assert owe_top_ups(slow, Decimal("18")).amount == Decimal("1.70")
    assert Payment.objects.filter(kind="top_up").count() == 8


def test_pay_that_is_enough_owes_nothing(slow):
    assert plan_top_up(slow, Decimal("12")).owed == {}
    assert plan_top_up(slow, Decimal("12.06")).amount == Decimal("0.04")  # a cent each: shares are rounded up


def test_a_plan_pays_nothing(slow):
    assert len(plan_top_up(slow, LEAST).owed) == 4
    assert topped_up() == []


def test_the_campaigns_own_minimum_is_the_default(slow):
    Campaign.objects.update(minimum_hourly=LEAST)
    slow.refresh_from_db()

    assert plan_top_up(slow).minimum_hourly == LEAST


def test_a_top_up_keeps_to_the_budget(slow):
    Campaign.objects.update(budget=Decimal("10.00"))
    slow.refresh_from_db()

    with pytest.raises(CampaignRefused, match="would exceed the budget"):
        owe_top_ups(slow, LEAST)
    assert topped_up() == []


def test_without_a_minimum_or_a_time_there_is_nothing_to_go_by(fair):
    campaign = fair.opened()

    with pytest.raises(CampaignRefused, match="minimum-hourly"):
        plan_top_up(campaign)
    with pytest.raises(CampaignRefused, match="time per task is unknown"):
        plan_top_up(campaign, LEAST)


def test_rejected_submissions_are_not_topped_up(slow):
    submission = Submission.objects.order_by("pk").first()
    Payment.objects.filter(submission=submission).update(state="rejected")

    assert submission.pk not in plan_top_up(slow, LEAST).owed


def test_a_plan_asks_the_database_as_often_for_much_work_as_for_little(fair, slow, django_assert_num_queries):
    with django_assert_num_queries(2):
        few = plan_top_up(slow, LEAST, times=[600.0])
    fair.do_task(slow, "A5")
    fair.collect(slow)

    with django_assert_num_queries(2):
        more = plan_top_up(slow, LEAST, times=[600.0])
    assert len(more.owed) > len(few.owed)


def test_held_pay_is_not_topped_up(slow):
    submission = Submission.objects.order_by("pk").first()
    Payment.objects.filter(submission=submission).update(state="held")

    assert submission.pk not in plan_top_up(slow, LEAST).owed


def test_a_task_clicked_through_is_not_topped_up_while_its_bonus_is_undecided(fair):
    Passage.objects.update(text="word " * 200)
    campaign = fair.opened()
    hurried = fair.do_task(campaign, "AFAST")
    fair.collect(campaign)
    assert dict(hurried.payments.values_list("kind", "state")) == {"reward": "paid", "bonus": "held"}

    assert plan_top_up(campaign, LEAST, times=[600.0]).owed == {}
    pay_held(campaign, hurried)
    assert plan_top_up(campaign, LEAST, times=[600.0]).owed == {hurried.pk: Decimal("0.50")}


def test_pairs_that_count_in_a_later_submission_are_not_topped_up(slow):
    submission = Submission.objects.order_by("pk").first()
    submission.slots.update(given_back=True)

    assert submission.pk not in plan_top_up(slow, LEAST).owed
