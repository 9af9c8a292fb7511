"""Concurrent calls on real connections."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from marketplace.errors import ProtocolError, TaskRefused
from marketplace.models import Assignment, Bonus, Hit, LedgerEntry, Requester
from marketplace.services import expiry
from marketplace.services.worker import tasks as taking
from tests.marketplace.conftest import NOW, hours, make_hit, make_type, make_worker, work

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(calls):
    """Run every call in its own thread, started together; refusals are returned as their reason."""
    barrier = threading.Barrier(len(calls))

    def run(call):
        try:
            barrier.wait()
            return call()
        except TaskRefused as refusal:
            return refusal.reason
        except ProtocolError as refusal:
            return refusal.turk_code.rpartition(".")[2]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as threads:
        return [future.result() for future in [threads.submit(run, call) for call in calls]]


def test_the_last_place_goes_to_exactly_one(ask, hit_type):
    workers = [make_worker(f"w{number}") for number in range(8)]
    make_hit(ask, hit_type)

    results = at_once([lambda worker=worker: taking.take_task(worker, hit_type, NOW) for worker in workers])

    assert Counter(isinstance(result, Assignment) for result in results) == {True: 1, False: 7}
    assert {result for result in results if isinstance(result, str)} == {"none_left"}
    assert (Hit.objects.get().available, Hit.objects.get().pending) == (0, 1)


def test_as_many_workers_as_places_all_get_one(ask, hit_type):
    workers = [make_worker(f"w{number}") for number in range(8)]
    for _ in range(4):
        make_hit(ask, hit_type, MaxAssignments=2)

    results = at_once([lambda worker=worker: taking.take_task(worker, hit_type, NOW) for worker in workers])

    assert len({result.assignment_id for result in results}) == 8


def test_a_double_click_never_gives_one_hit_twice(ask, hit_type, ada):
    make_hit(ask, hit_type, MaxAssignments=5)

    at_once([lambda: taking.take_task(ada, hit_type, NOW)] * 4)

    assert Assignment.objects.filter(worker=ada).count() == 1
    assert Hit.objects.get().pending == 1


def test_many_clicks_at_once_give_one_task_of_a_group(ask, hit_type, ada):
    for _ in range(12):
        make_hit(ask, hit_type)

    results = at_once([lambda: taking.take_task(ada, hit_type, NOW)] * 8)

    assert len({result.assignment_id for result in results}) == 1
    assert Assignment.objects.filter(worker=ada).count() == 1


def test_submitting_twice_at_once_counts_once(ask, hit_type, ada):
    make_hit(ask, hit_type)
    held = taking.take_task(ada, hit_type, NOW)

    results = at_once([lambda: taking.hand_in(held.assignment_id, [("choice", "left")], NOW)] * 4)

    assert sorted(results) == [False, False, False, True]
    ada.refresh_from_db()
    assert ada.submitted_count == 1


def test_an_approval_and_the_clock_pay_once(ask, hit_type, ada, requester):
    make_hit(ask, hit_type)
    assignment_id = work(ada, hit_type)
    later = NOW + hours(24)

    at_once(
        [
            lambda: ask("ApproveAssignment", AssignmentId=assignment_id),
            lambda: expiry.apply_due(later),
            lambda: ask("ApproveAssignment", AssignmentId=assignment_id),
        ]
    )

    assert LedgerEntry.objects.filter(kind="reward").count() == 1
    requester.refresh_from_db()
    assert (requester.balance_cents, requester.held_cents) == (100_000 - 240, 0)


def test_one_token_makes_one_hit(ask, hit_type):
    results = at_once([lambda: make_hit(ask, hit_type, UniqueRequestToken="place-1")] * 6)

    assert Hit.objects.count() == 1
    assert Counter(results)["HitAlreadyExists"] == 5


def test_one_token_pays_one_bonus(ask, hit_type, ada):
    make_hit(ask, hit_type)
    assignment_id = work(ada, hit_type)
    bonus = {"WorkerId": ada.worker_id, "BonusAmount": "1.00", "Reason": "r", "AssignmentId": assignment_id}

    results = at_once([lambda: ask("SendBonus", UniqueRequestToken="pay", **bonus)] * 6)

    assert Bonus.objects.count() == 1
    assert Counter(map(str, results))["RequestAlreadyProcessed"] == 5


def test_the_balance_is_never_promised_twice(ask):
    expensive = make_type(ask, Reward="300")

    results = at_once([lambda: make_hit(ask, expensive)] * 6)

    assert Counter(results)["InsufficientFunds"] == 4
    account = Requester.objects.get()
    assert account.held_cents == 2 * 36_000


def test_the_same_type_asked_for_at_once_is_one(ask):
    assert len(set(at_once([lambda: make_type(ask)] * 6))) == 1


def test_a_return_and_a_deadline_free_a_place_once(ask, hit_type, ada):
    make_hit(ask, hit_type)
    held = taking.take_task(ada, hit_type, NOW)

    at_once(
        [
            lambda: taking.return_task(ada, held.assignment_id, NOW),
            lambda: expiry.apply_due(NOW + hours(1)),
        ]
        * 2
    )

    hit = Hit.objects.get()
    assert (hit.available, hit.pending) == (1, 0)
    assert held.departures.count() == 1
