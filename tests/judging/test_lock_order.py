"""Transactions that end several submissions lock them in one order, so that no two wait for each other."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from queue import Queue

import pytest
from django.db import connection, connections, transaction

from config import clock
from judging.crowds.interface import Arrival, CrowdSubmission
from judging.intake.collection import take_in
from judging.intake.screened_work import stop_counting
from judging.models import CrowdIdentity, Submission, Task
from judging.page import arrivals
from judging.tasks.displacement import MOST_LEASES
from judging.tasks.lease_ends import end_submission, free_lapsed
from judging.tasks.leases import lease_task
from judging.workers.identities import worker_for
from tests.judging.cast import Fair
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.postgres_only,  # SQLite has no locks of rows
    pytest.mark.skipif("connections['default'].vendor != 'postgresql'"),
]


@pytest.fixture
def fair(crowd, transactional_db) -> Fair:
    return Fair(crowd, queries=8)


def in_a_thread(threads: ThreadPoolExecutor, call):
    """Run the call on its own connection, which waits ten seconds for a lock. Return its future and process."""
    process: Queue[int] = Queue()

    def run():
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '10s'")
                cursor.execute("SELECT pg_backend_pid()")
                process.put(cursor.fetchone()[0])
            return call()
        finally:
            connections.close_all()

    return threads.submit(run), process.get(timeout=30)


def waits(process: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = %s", [process])
        return bool(cursor.fetchone()[0])


def stopping(campaign, ended):
    """Exclude the worker of both."""
    return lambda: stop_counting(campaign, ended[0].worker)


def lapsing(campaign, ended):
    """End both, whose tasks were taken away and whose time is over."""
    late, keys = clock.now() - timedelta(days=9), [one.pk for one in ended]
    Submission.objects.filter(pk__in=keys).update(
        state=Submission.State.FINISHED, ends_at=late, crowd_ends_at=late
    )
    Task.objects.filter(holder__in=keys).update(state=Task.State.WAITING, holder=None, leased_until=None)
    return lambda: free_lapsed(campaign)


def following(campaign, ended):
    """Take the place of both, with the crowd's signature."""
    place, other = ended[0].place, worker_for("fake:here", "ANEXT")
    Submission.objects.filter(pk=ended[1].pk).update(place=place)
    now = clock.now()
    return lambda: lease_task(campaign, other, assignment_id="3NEXT", place=place, taken_at=now)


def collecting(campaign, ended):
    """Collect the second one's work, to whose place the crowd gave nobody else."""
    place, now = ended[0].place, clock.now()
    Submission.objects.filter(pk=ended[1].pk).update(place=place)
    identity = CrowdIdentity.objects.get(worker=ended[1].worker)
    found = CrowdSubmission(
        assignment_id=ended[1].assignment_id,
        place_crowd_id=place.crowd_id,
        status="Submitted",
        crowd_worker_id=identity.crowd_worker_id,
        answers={},
        submitted_at=now,
        auto_approval_at=now,
    )
    return lambda: take_in(campaign, place, found)


@pytest.mark.parametrize("end", [stopping, lapsing, following, collecting])
def test_who_waits_for_the_first_submission_holds_no_later_one(fair, end):
    campaign = fair.opened()
    first, second = (fair.open_task(campaign, "A1") for _ in range(2))
    call = end(campaign, [first, second])
    # Changes of an indexed column move the first row behind the second, where an unordered search finds it last.
    for name in ("elsewhere", first.assignment_id):
        Submission.objects.filter(pk=first.pk).update(assignment_id=name)

    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            Submission.objects.filter(pk=first.pk).update(comment="being changed")
            running, process = in_a_thread(threads, call)
            wait_until(lambda: running.done() or waits(process))

            assert not running.done()
            assert Submission.objects.select_for_update(nowait=True).get(pk=second.pk)
        running.result()


def test_a_newcomer_displaces_no_task_that_is_being_freed_and_waits_for_none(fair):
    campaign = fair.opened()
    place = fair.crowd.take("AHOLDER")

    def arrive(worker: str) -> Submission:
        arrival = Arrival(f"3{worker}", place.posted.crowd_id, worker, "", preview=False)
        return arrivals.open_task(campaign.postings.get(), arrival)

    holders = [arrive(f"AFORGED{number}") for number in range(MOST_LEASES)]
    with ThreadPoolExecutor(1) as threads, transaction.atomic():
        end_submission(holders[0], Submission.State.RETURNED)
        running, _ = in_a_thread(threads, lambda: arrive("AHONEST"))

        assert running.result(timeout=60).task is not None

    held = Task.objects.filter(campaign=campaign, state=Task.State.HELD)
    assert set(held.values_list("holder", flat=True)) & {one.pk for one in holders} == {holders[2].pk}
