"""Taking a task: the next one that fits, however many workers compete and tasks wait."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from judging.models import Slot, Submission, Task
from judging.page import session
from judging.tasks.leases import lease_task
from judging.workers.identities import worker_for
from tests.judging.cast import Fair

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def fair(crowd, transactional_db) -> Fair:
    return Fair(crowd, queries=8)


def taken(campaign, worker):
    return lease_task(campaign, worker_for("fake:here", worker), assignment_id=f"for-{worker}", place=None)


def test_tasks_are_handed_out_in_order(fair):
    campaign = fair.opened(pairs_per_task=2)

    numbers = [taken(campaign, worker).task.number for worker in ("A1", "A2", "A3")]

    assert numbers == [1, 2, 3]


def test_many_at_once_take_a_task_each(fair):
    campaign = fair.opened(pairs_per_task=2)
    people = [f"A{number}" for number in range(campaign.tasks.count())]
    barrier = threading.Barrier(len(people))

    def take(worker):
        try:
            barrier.wait()
            return taken(campaign, worker).task_id
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(people)) as threads:
        tasks = list(threads.map(take, people))

    assert sorted(tasks) == sorted(campaign.tasks.values_list("pk", flat=True))
    assert not campaign.tasks.filter(state=Task.State.WAITING).exists()


def test_the_same_assignment_twice_at_once_is_one_submission(fair):
    campaign = fair.opened(pairs_per_task=2)

    first, again = taken(campaign, "A1"), taken(campaign, "A1")

    assert first == again
    assert campaign.tasks.filter(state=Task.State.HELD).count() == Submission.objects.count() == 1


def test_layers_with_pairs_seen_are_passed_over_and_left_to_others(fair):
    campaign = fair.opened(pairs_per_task=3, judgments_per_pair=2, gold_per_task=1, max_tasks_per_worker=19)
    mine = 0

    while submission := lease_task(
        campaign, worker_for("fake:here", "A1"), assignment_id=f"mine-{mine}", place=None
    ):
        mine += 1
        session.give_consent(submission)
        assert submission.slots.count() == 4

    pairs = list(Slot.objects.exclude(pair=None).values_list("pair", flat=True))
    assert len(pairs) == len(set(pairs)) == 3 * mine
    left = campaign.tasks.filter(state=Task.State.WAITING)
    assert left.count() == campaign.tasks.count() - mine > 0


@pytest.mark.postgres_only
@pytest.mark.skipif("connection.vendor != 'postgresql'")
def test_a_task_that_somebody_is_just_taking_is_passed_over_without_waiting(fair):
    campaign = fair.opened(pairs_per_task=2)
    first = campaign.tasks.order_by("number").first()
    held, over = threading.Event(), threading.Event()

    def hold():
        try:
            with transaction.atomic():
                Task.objects.select_for_update().get(pk=first.pk)
                held.set()
                over.wait(60)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        holding = threads.submit(hold)
        assert held.wait(30)
        submission = taken(campaign, "A1")
        over.set()
        holding.result()

    assert submission.task.number == 2


def test_taking_reads_as_much_with_few_as_with_many_tasks_waiting(fair, crowd):
    few = fair.opened(pairs_per_task=3)
    many = Fair(crowd, queries=40, name="many").opened(pairs_per_task=3)
    asked = []

    for campaign in (few, many):
        taken(campaign, "A1")
        with CaptureQueriesContext(connection) as queries:
            lease_task(campaign, worker_for("fake:here", "A1"), assignment_id=campaign.name, place=None)
        asked.append(len(queries))

    assert asked[0] == asked[1]
