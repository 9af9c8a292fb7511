"""The outbox: events are stored in the transaction of their cause, and delivered once."""

import pytest
from django.db import transaction

from config import clock
from config.background import events, job_kinds, services
from config.background.models import Event, Job

pytestmark = pytest.mark.django_db(transaction=True)


def record_run_checked(**facts) -> Event:
    with transaction.atomic():
        return events.record_event("run.checked", collection_id=1, facts=facts)


def test_an_event_outside_a_transaction_is_refused():
    with pytest.raises(RuntimeError, match="transaction"):
        events.record_event("run.checked", collection_id=1, facts={})


def test_events_are_delivered_once_and_in_order():
    first, second = record_run_checked(run=1), record_run_checked(run=2)
    told = []

    outcomes = [events.deliver_once(event, told.append) for event in [*events.undelivered_events(), first]]

    assert told == [first, second]
    assert outcomes == [True, True, False]
    assert not events.undelivered_events().exists()


def test_an_undelivered_event_stays():
    event = record_run_checked()

    def fail(_: Event) -> None:
        raise OSError("no room for the message")

    with pytest.raises(OSError, match="no room"):
        events.deliver_once(event, fail)

    assert list(events.undelivered_events()) == [event]


def test_only_delivered_events_are_deleted():
    told, _ = record_run_checked(), record_run_checked()
    events.deliver_once(told, lambda _: None)

    assert events.forget_delivered(clock.now()) == 1
    assert Event.objects.count() == 1


@pytest.mark.parametrize("wanted", [True, False])
def test_the_schedule_starts_only_jobs_with_work(monkeypatch, wanted):
    monkeypatch.setattr(services, "ring", lambda _: None)
    kind = job_kinds.JobKind("test.kind", lambda progress: None, 1, lambda: wanted)
    monkeypatch.setitem(job_kinds._kinds, "test.kind", kind)

    started = services.start_if_wanted("test.kind")

    assert (started is not None) == wanted == Job.objects.filter(kind="test.kind").exists()
