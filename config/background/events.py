"""Events, stored until every subscriber is notified: an outbox.

A room records an event in the same transaction as its cause, so neither exists without the other. The room does not
depend on its subscribers, which poll on a schedule and handle each event once.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from config import clock
from config.background.models import Event


def record_event(kind: str, *, collection_id: int, facts: dict[str, Any]) -> Event:
    """Store an event in a collection: ``kind`` is "thing.happened"; ``facts`` are ids, names and numbers.

    Call it in the same transaction as its cause; raises RuntimeError outside of one.
    """
    if not connection.in_atomic_block:
        raise RuntimeError(f"The event {kind} must be recorded in the same transaction as its cause.")
    return Event.objects.create(kind=kind, collection_id=collection_id, facts=facts)


def undelivered_events() -> QuerySet[Event]:
    """Return undelivered events, oldest first."""
    return Event.objects.filter(told_at=None).order_by("pk")


def deliver_once(event: Event, tell: Callable[[Event], None]) -> bool:
    """Deliver the event and mark it as delivered, in one transaction. Returns False if another process did."""
    with transaction.atomic():
        if not undelivered_events().filter(pk=event.pk).update(told_at=clock.now()):
            return False
        tell(event)
    return True


def forget_delivered(before: datetime) -> int:
    """Delete events that were delivered before ``before``; returns how many."""
    return Event.objects.filter(told_at__lt=before).delete()[0]
