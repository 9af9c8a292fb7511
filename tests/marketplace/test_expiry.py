"""The effects of deadlines."""

import pytest

from marketplace.models import Assignment, Departure
from marketplace.services import expiry
from marketplace.services.worker import tasks as taking
from tests.marketplace.conftest import NOW, balance, hours, make_hit, make_worker, work

pytestmark = pytest.mark.django_db


def test_nothing_happens_before_its_time(ask, hit_type, ada):
    make_hit(ask, hit_type)
    taking.take_task(ada, hit_type, NOW)

    assert expiry.apply_due(NOW + hours(0.99)) == 0


def test_an_abandoned_place_is_offered_again(ask, hit_type, ada, grace):
    hit_id = make_hit(ask, hit_type)
    held = taking.take_task(ada, hit_type, NOW)
    later = NOW + hours(1)

    expiry.apply_due(later)

    assert ask("GetHIT", HITId=hit_id, at=later)["HIT"]["HITStatus"] == "Assignable"
    assert Departure.objects.get().kind == Departure.Kind.ABANDONED
    assert taking.take_task(grace, hit_type, later).hit == held.hit


def test_unreviewed_work_is_approved_and_paid_at_its_time(ask, hit_type, ada):
    make_hit(ask, hit_type)
    work(ada, hit_type)
    later = NOW + hours(30)

    expiry.apply_due(later)

    done = Assignment.objects.get()
    assert (done.status, done.approved_at) == ("Approved", NOW + hours(24))
    assert balance(ask, later) == ("997.60", "0.00")


def test_applying_twice_changes_nothing_more(ask, hit_type, ada):
    make_hit(ask, hit_type)
    make_hit(ask, hit_type)
    work(ada, hit_type)
    taking.take_task(ada, hit_type, NOW)
    later = NOW + hours(24 * 8)

    changed = expiry.apply_due(later)

    assert changed == 4  # one abandoned, one approved, two expired
    assert expiry.apply_due(later) == 0
    assert balance(ask, later) == ("997.60", "0.00")


def test_many_deadlines_are_applied_in_batches(ask, hit_type, monkeypatch):
    monkeypatch.setattr(expiry, "_BATCH", 3)
    hit_id = make_hit(ask, hit_type, MaxAssignments=8)
    for number in range(8):
        work(make_worker(f"w{number}"), hit_type)

    expiry.apply_due(NOW + hours(24))

    hit = ask("GetHIT", HITId=hit_id, at=NOW + hours(24))["HIT"]
    assert hit["NumberOfAssignmentsCompleted"] == 8
    assert balance(ask, NOW + hours(24)) == ("980.80", "0.00")


def test_a_page_is_right_although_the_scheduler_is_late(ask, hit_type, ada):
    hit_id = make_hit(ask, hit_type, LifetimeInSeconds=1800)
    taking.take_task(ada, hit_type, NOW)

    hit = ask("GetHIT", HITId=hit_id, at=NOW + hours(2))["HIT"]

    assert hit["HITStatus"] == "Reviewable"
    assert hit["NumberOfAssignmentsPending"] == 0
