"""Events, stored until they are delivered and for a time after that: an outbox.

An app records an event in the same transaction as its cause, so neither exists without the other. The app does not
depend on the event's subscribers, which poll on a schedule and handle each event once.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from config import clock
from config.background.models import Event


def record_event(kind: str, *, collection_id: int, facts: dict[str, Any]) -> Event:
    """Store an event of a collection. ``kind`` has the form "thing.happened"; ``facts`` are ids, names and numbers.

    Call it in the transaction of the event's cause. Raises RuntimeError outside a transaction.
    """
    if not connection.in_atomic_block:
        raise RuntimeError(f"The event {kind} must be recorded in the same transaction as its cause.")
    return Event.objects.create(kind=kind, collection_id=collection_id, facts=facts)


def undelivered_events() -> QuerySet[Event]:
    """Return undelivered events, oldest first."""
    return Event.objects.filter(told_at=None).order_by("pk")


def deliver_once(event: Event, tell: Callable[[Event], None]) -> bool:
    """Call ``tell`` and mark the event as delivered, in one transaction. Return False if it was delivered before."""
    with transaction.atomic():
        if not undelivered_events().filter(pk=event.pk).update(told_at=clock.now()):
            return False
        tell(event)
    return True


def forget_delivered(before: datetime) -> int:
    """Delete events that were delivered before ``before``, and return their number."""
    return Event.objects.filter(told_at__lt=before).delete()[0]
