"""Concurrent requests on real connections: pairs count as often as wanted, with no double payments or places."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.db import connection, connections, transaction

from config import clock
from judging.campaign.cost import money
from judging.campaign.pairs import request_pairs
from judging.errors import CampaignRefused, CrowdNever, MayNotSpend
from judging.exchange.link_tokens import page_token, read_page
from judging.intake import places, screened_work
from judging.intake.collection import collect
from judging.intake.early_screening import confirm_failed
from judging.intake.places import lacking, post_places, want_places
from judging.intake.screened_work import screen_worker
from judging.launch.launches import launch_campaign
from judging.models import (
    Consent,
    CrowdIdentity,
    Exclusion,
    GoldAnswer,
    Judgment,
    Payment,
    Place,
    Reservation,
    Submission,
    Task,
    Worker,
)
from judging.money import refused_payments
from judging.money.budget import room_for
from judging.money.payments import pay_owed
from judging.money.top_ups import owe_top_ups
from judging.page import session
from judging.rules.packing import PairRequest
from judging.tasks import leases
from judging.tasks.leases import lease_task
from judging.workers.identities import worker_for
from pooling.collections.spending_grants import grant_spending
from tests.judging.cast import Fair

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def fair(crowd, transactional_db) -> Fair:
    return Fair(crowd)


def at_once(*calls):
    """Run every call in its own thread, started together. Returns their results."""
    barrier = threading.Barrier(len(calls))

    def run(call):
        try:
            barrier.wait()
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as threads:
        return [future.result() for future in [threads.submit(run, call) for call in calls]]


def counted_per_pair(campaign) -> set[int]:
    counted = Judgment.objects.filter(campaign=campaign).counted()
    return set(Counter(counted.values_list("pair", flat=True)).values())


def test_collecting_many_times_at_once_counts_and_pays_once(fair):
    campaign = fair.opened()
    for worker in ("A1", "A2", "A3", "A4"):
        fair.do_task(campaign, worker)

    at_once(*[lambda: collect(campaign, sweep=True)] * 4)
    at_once(*[lambda: pay_owed(campaign)] * 4)

    assert counted_per_pair(campaign) == {1}
    assert Judgment.objects.count() == 12
    assert len(fair.crowd.approvals) == len(fair.crowd.paid_bonuses) == 4
    assert Payment.objects.filter(state=Payment.State.PAID).count() == 8
    assert lacking(campaign) == 0


def test_wanting_places_at_once_wants_each_once(fair):
    campaign = fair.opened()
    Place.objects.update(state=Place.State.GONE)

    wanted = at_once(*[lambda: want_places(campaign)] * 6)

    assert sum(wanted) == 4
    assert lacking(campaign) == 0


def test_posting_at_once_offers_each_place_once(fair):
    campaign = fair.draft()
    launch_campaign(campaign)

    at_once(*[lambda: post_places(campaign)] * 4)

    assert len(fair.crowd.posted) == 4
    assert Place.objects.filter(state=Place.State.OPEN).values("crowd_id").distinct().count() == 4


def test_concurrent_first_arrivals_create_one_worker():
    workers = at_once(*[lambda: worker_for("fake:here", "A1")] * 6)

    assert len({worker.pk for worker in workers}) == 1
    assert Worker.objects.count() == CrowdIdentity.objects.count() == 1


def test_agreeing_twice_at_once_is_one_consent_and_one_drawing(fair):
    campaign = fair.opened()
    held = lease_task(campaign, worker_for("fake:here", "A1"), assignment_id="3AGREEING", place=None)
    assert held is not None
    task = held.task_id

    agreed = at_once(*[lambda: session.give_consent(Submission.objects.get(pk=held.pk))] * 4)

    held.refresh_from_db()
    assert agreed == [True] * 4
    assert Consent.objects.filter(submission=held).count() == 1
    assert held.task_id == task
    numbers = held.slots.values_list("number", flat=True)
    assert sorted(numbers) == list(range(1, campaign.slots_per_task + 1))


def test_requests_at_once_number_their_tasks_one_after_the_other(fair):
    campaign = fair.draft()
    pairs = [PairRequest(*row) for row in campaign.pairs.values_list("query", "passage_a", "passage_b")]

    made = at_once(*[lambda: request_pairs(campaign, pairs, judgments=1, round=1)] * 4)

    assert made == [4] * 4
    assert sorted(Task.objects.values_list("number", flat=True)) == list(range(1, 21))


def test_deciding_an_exclusion_at_once_is_one_decision(fair):
    campaign = fair.opened()
    submission = fair.do_task(campaign, "A1", pass_gold=False)

    at_once(
        lambda: collect(campaign, sweep=True),
        lambda: confirm_failed(campaign, submission.worker),
        lambda: screen_worker(campaign, submission.worker),
    )

    assert Exclusion.objects.count() == 1
    assert not Task.objects.exclude(state=Task.State.WAITING).exists()


@pytest.mark.postgres_only  # on other databases, the second waits for the first
@pytest.mark.skipif("connections['default'].vendor != 'postgresql'")
def test_two_people_settling_a_payment_at_once_settle_it_once_and_the_second_is_told(fair, monkeypatch):
    campaign = fair.opened()
    submission = fair.do_task(campaign, "A1")
    collect(campaign, sweep=True)
    fair.crowd.fail("pay_bonus", CrowdNever("Worker A1 is here no more"))
    pay_owed(campaign)
    found, both_have_looked = refused_payments.refused_payments(campaign), threading.Barrier(2)

    def look(of):
        both_have_looked.wait()
        return found

    monkeypatch.setattr(refused_payments, "refused_payments", look)

    def settle():
        try:
            return refused_payments.settle_payments(campaign, submission, why="a gift card")
        except CampaignRefused as refusal:
            return refusal.message

    said = at_once(settle, settle)

    already = f"The refused payments for submission {submission.pk} are already settled."
    assert sorted(said, key=str) == [Decimal("1.80"), already]
    assert campaign.changes.filter(what__contains="settled outside the crowd").count() == 1


@pytest.mark.postgres_only  # SQLite has no locks of rows
@pytest.mark.skipif("connections['default'].vendor != 'postgresql'")
def test_an_arrival_waits_for_no_lock_and_gets_the_task_that_another_failed_to_take(fair, monkeypatch):
    campaign, worker = fair.opened(), worker_for("fake:here", "A1")
    pausing, failed = threading.Event(), threading.Event()

    def pause(_seconds):
        pausing.set()
        assert failed.wait(30)

    def arrive():
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '10s'")
            return lease_task(campaign, worker, assignment_id="for-A1", place=None)
        finally:
            connections.close_all()

    monkeypatch.setattr(leases, "time", SimpleNamespace(sleep=pause))
    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            assert Task.objects.filter(campaign=campaign).select_for_update()
            arrival = thread.submit(arrive)
            assert pausing.wait(30)
        failed.set()

        assert arrival.result().task is not None


@pytest.mark.parametrize("attempt", range(3))
def test_exclusion_while_the_workers_other_tasks_are_collected_leaves_none_of_them_done(fair, attempt):
    campaign = fair.opened()
    good = [fair.do_task(campaign, "A1") for _ in range(2)]
    bad = fair.open_task(campaign, "A1")
    fair.answer(bad, pass_gold=False)

    at_once(
        lambda: collect(campaign, sweep=True),
        lambda: fair.send_off(bad),
        lambda: collect(campaign, sweep=True),
    )
    collect(campaign, sweep=True)

    standings = set(Submission.objects.values_list("standing", flat=True))
    assert standings == {Submission.Standing.EXCLUDED}
    assert not Task.objects.exclude(state=Task.State.WAITING).exists()
    assert len(good) == 2


@pytest.mark.parametrize("attempt", range(4))
def test_a_choice_acknowledged_while_its_task_is_submitted_is_never_lost(fair, attempt):
    submission = fair.open_task(fair.opened(), "A1")
    *others, last = submission.slots.order_by("number")
    for slot in others:
        fair.answer_slot(submission, slot)
    page = read_page(page_token(submission, ""))

    saved, _ = at_once(
        lambda: session.save_at_once(page, number=last.number, sequence=0, side="left"),
        lambda: session.finish(Submission.objects.get(pk=submission.pk)),
    )

    recorded = {
        *Judgment.objects.values_list("slot", flat=True),
        *GoldAnswer.objects.values_list("slot", flat=True),
    }
    assert {slot.pk for slot in others} <= recorded
    assert (last.pk in recorded) == saved == last.choices.exists()


class Rush:
    """Let workers take tasks until they are refused, while the campaign is collected."""

    def __init__(self, fair, campaign, careless=()):
        self.fair, self.campaign, self.careless = fair, campaign, set(careless)
        self.over = threading.Event()

    def work(self, worker):
        while not self.over.is_set():
            try:
                self.fair.do_task(self.campaign, worker, pass_gold=worker not in self.careless)
            except StopIteration:  # no place is open now
                time.sleep(0.05)
            except session.WorkRefused:
                self.give_back(worker)
                return

    def give_back(self, worker):
        for place in [*self.fair.crowd.posted.values()]:
            if place.holder == worker:
                self.fair.crowd.give_back(place)

    def keep_collecting(self, times):
        for _ in range(times):
            collect(self.campaign, sweep=True)
            pay_owed(self.campaign)
            post_places(self.campaign)
            if self.is_done():
                break
        self.over.set()

    def is_done(self):
        return not self.campaign.tasks.exclude(state=Task.State.DONE).exists()

    def finish_off(self):
        """Let more workers work, one after another, while any task is left."""
        self.over.clear()
        self.fair.collect(self.campaign)
        for number in range(10, 60):
            if self.is_done():
                return
            try:
                self.fair.do_task(self.campaign, f"A{number}")
            except session.WorkRefused:
                self.give_back(f"A{number}")
            self.fair.collect(self.campaign)


@pytest.mark.soak
def test_a_whole_campaign_with_everybody_at_once_gives_each_pair_its_judgments(fair):
    campaign = fair.opened(judgments_per_pair=2, gold_per_task=1, max_tasks_per_worker=8)
    rush = Rush(fair, campaign, careless=["A7", "A8"])

    at_once(
        *[lambda worker=f"A{number}": rush.work(worker) for number in range(1, 9)],
        lambda: rush.keep_collecting(30),
        lambda: rush.keep_collecting(30),
    )
    rush.finish_off()

    counted = Judgment.objects.filter(campaign=campaign).counted()
    assert Counter(counted.values_list("pair", flat=True)) == {pair.pk: 2 for pair in campaign.pairs.all()}
    assert len(set(counted.values_list("pair", "worker"))) == 24
    assert not counted.filter(worker__exclusions__isnull=False).exists()
    handed_in = [one.assignment_id for place in fair.crowd.posted.values() for one in place.submissions]
    assert sorted(fair.crowd.approvals) == sorted(handed_in)


def test_one_of_two_launches_that_exceed_a_grant_is_refused(fair, django_user_model):
    mia = django_user_model.objects.create_user("mia")
    day = clock.now().date()
    grant_spending(person=mia, amount=Decimal("15.00"), last_day=day, who="ada")
    drafts = [fair.draft(), Fair(fair.crowd, name="other").draft()]

    def launched(campaign):
        try:
            return launch_campaign(campaign, confirm_spend=Decimal("9.64"), by=mia).places
        except MayNotSpend:
            return None

    places = at_once(*[lambda one=one: launched(one) for one in drafts])

    assert sorted(places, key=str) == [4, None]
    assert Reservation.objects.get().amount == Decimal("9.64")


def test_a_top_up_and_new_places_do_not_spend_the_same_rest_of_the_budget(fair, monkeypatch):
    campaign = fair.opened(budget=Decimal("12.00"))  # four tasks of $2.40, and one repeat
    for worker in ("A1", "A2"):
        fair.do_task(campaign, worker)
    collect(campaign, sweep=True)
    pay_owed(campaign)
    for submission in Submission.objects.all():
        submission.finished_at = submission.opened_at + timedelta(minutes=10)
        submission.save()
    worker = CrowdIdentity.objects.get(crowd_worker_id="A1").worker
    screened_work.exclude(campaign, worker, "person", "careless")
    counted, topped_up = threading.Event(), threading.Event()

    def counting(campaign):
        room = room_for(campaign)
        counted.set()
        topped_up.wait(2)  # in vain, as the top-up has to wait
        return room

    def top_up():
        counted.wait(30)
        try:
            return owe_top_ups(campaign, Decimal("15")).owed
        except CampaignRefused as refused:
            return refused.message
        finally:
            topped_up.set()

    monkeypatch.setattr(places, "room_for", counting)
    wanted, said = at_once(lambda: want_places(campaign), top_up)

    assert (wanted, said) == (1, "$1.20 more would exceed the budget of $12.00.")
    assert money(campaign)["committed"] == Decimal("12.00")
