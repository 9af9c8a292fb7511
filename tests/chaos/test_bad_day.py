"""300 places and their payments under faults: nothing lost, nothing done twice, the books right to the cent."""

import os
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from django.db.models import QuerySet

from config import clock
from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.campaign.worker_texts import accept_texts
from judging.launch.launches import launch_campaign
from judging.models import Campaign, Choice, GoldPair, Judgment, Payment, Place, Slot, Submission
from judging.money.ledger import compare_books
from judging.simulation.browser import hang_up
from pooling.models import Collection, Passage, Pool, PooledPassage, Query
from tests.chaos.fault_proxy import CHANCES, Faults
from tests.chaos.person import Person, all_done
from tests.waiting import wait_until

TASKS = 300
PEOPLE = 12
TASKS_EACH = 40
#: The time limit on a slow machine; two minutes are usual.
SECONDS = 1800

pytestmark = [
    pytest.mark.soak,
    pytest.mark.postgres_only,
    pytest.mark.journey,
    pytest.mark.timeout(3600),
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        os.environ.get("PREFEREE_TEST_ON") == "sqlite", reason="several processes of workers need PostgreSQL"
    ),
]


def passage(collection, pid):
    return Passage(collection=collection, pid=pid, text=f"This is passage {pid}.", class_key=f"key-{pid}")


@pytest.fixture
def campaign(site):
    """As many tasks of one pair as there are places to be offered, each with one gold pair."""
    collection = Collection.objects.create(name="chaos")
    pool = Pool.objects.create(collection=collection, name="chaos")
    queries = Query.objects.bulk_create(
        Query(collection=collection, qid=f"q{number}", text=f"What is {number}?", position=number)
        for number in range(TASKS)
    )
    passages = Passage.objects.bulk_create(
        passage(collection, f"{number}{side}") for number in range(TASKS) for side in "ab"
    )
    PooledPassage.objects.bulk_create(
        PooledPassage(pool=pool, query=queries[place // 2], passage=one) for place, one in enumerate(passages)
    )
    settings = CampaignSettings(
        pairs_per_task=1, gold_per_task=1, max_tasks_per_worker=TASKS_EACH, budget=Decimal(2000)
    )
    campaign = create_campaign(name="chaos", settings=settings, pool=pool)
    tested = Query.objects.create(collection=collection, qid="tested", text="What is tested?", position=TASKS)
    good, off = (
        Passage.objects.bulk_create(passage(collection, f"{word}{number}") for number in range(TASKS_EACH))
        for word in ("good", "off")
    )
    GoldPair.objects.bulk_create(
        GoldPair(
            campaign=campaign,
            query=tested,
            relevant=relevant,
            off_topic=off_topic,
            state=GoldPair.State.ACCEPTED,
            decided_at=clock.now(),
        )
        for relevant, off_topic in zip(good, off, strict=True)
    )
    accept_texts(campaign)
    return campaign


def all_paid(campaign: Campaign) -> bool:
    submitted = campaign.submissions.filter(state=Submission.State.SUBMITTED)
    owed = payments_of(campaign).exclude(state=Payment.State.PAID)
    return submitted.count() >= TASKS and not owed.exists()


def test_nothing_is_lost_and_nothing_is_done_twice(campaign, crowd, proxy, workers):
    launch_campaign(campaign, accept_weak_screening=True)
    workers.begin_killing()
    people = [Person(crowd.url, number) for number in range(PEOPLE)]
    deadline = time.monotonic() + SECONDS
    with ThreadPoolExecutor(PEOPLE) as pool:
        list(pool.map(lambda person: person.work(campaign, deadline), people))
    wait_until(
        lambda: all_paid(campaign),
        lambda: list(campaign.crowd_calls.exclude(state="done").values_list("key", "error_message")[:10]),
        every_seconds=0.5,
    )
    workers.stop()
    hang_up()

    assert all_done(campaign), Counter(campaign.tasks.values_list("state", flat=True))
    # There were enough faults.
    assert workers.kills >= 3
    assert [chance for chance in CHANCES if not proxy.seen.faults[chance]] == []
    assert workers.came_again > TASKS / 10
    # No place twice, none missing, none unknown to us.
    hits = crowd.listed("list_hits", "HITs")
    assert max(Counter(hit["RequesterAnnotation"] for hit in hits).values()) == 1
    ours = set(Place.objects.exclude(crowd_id="").values_list("crowd_id", flat=True))
    assert {hit["HITId"] for hit in hits} == ours
    assert len(hits) == Place.objects.count() >= TASKS
    # No judgment lost, none counted twice.
    acknowledged = sum(person.acknowledged for person in people)
    assert Slot.objects.filter(pk__in=Choice.objects.values("slot")).count() == acknowledged
    counted = Counter(Judgment.objects.filter(campaign=campaign).counted().values_list("pair", flat=True))
    assert counted == dict.fromkeys(campaign.pairs.values_list("pk", flat=True), 1)
    # Everybody is paid exactly once, and the crowd's account agrees with ours.
    assert_paid_once(campaign, crowd, hits)
    proxy.faults = Faults(repeated_rows=0.5)  # repeated rows must be counted once; stale lists would differ
    books = compare_books(campaign)
    assert books.differences == []
    assert books.ours == books.theirs == sum(payments_of(campaign).values_list("amount", flat=True))


def payments_of(campaign: Campaign) -> QuerySet[Payment]:
    return Payment.objects.filter(submission__campaign=campaign)


def assert_paid_once(campaign, crowd, hits):
    payments = payments_of(campaign)
    assignments, bonuses = [], []
    for hit in hits:
        found = crowd.listed("list_assignments_for_hit", "Assignments", HITId=hit["HITId"])
        assignments += found
        if found:
            bonuses += crowd.listed("list_bonus_payments", "BonusPayments", HITId=hit["HITId"])
    approved = {row["AssignmentId"] for row in assignments if row["AssignmentStatus"] == "Approved"}
    submitted = campaign.submissions.filter(state=Submission.State.SUBMITTED)
    assert approved == set(submitted.values_list("assignment_id", flat=True))
    assert len(approved) == len(assignments)
    owed_bonuses = payments.exclude(kind=Payment.Kind.REWARD)
    assert sorted((row["AssignmentId"], Decimal(row["BonusAmount"])) for row in bonuses) == sorted(
        owed_bonuses.values_list("submission__assignment_id", "amount")
    )
    spent = sum((payment.amount + payment.fee for payment in payments), Decimal(0))
    assert Decimal(crowd.client.get_account_balance()["AvailableBalance"]) == opening_balance() - spent


def opening_balance() -> Decimal:
    return Decimal(os.environ.get("MARKETPLACE_OPENING_BALANCE", "10000.00"))
