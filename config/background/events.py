"""What happened, kept until those who ask for it were told: an outbox.

A room records an event in the transaction of what it tells of, so that neither is there without the other, and knows
nobody who waits for it. Whoever does asks on a schedule, and tells of each event once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from config import clock
from config.background.models import Event


def record(kind: str, *, collection_id: int, facts: dict[str, Any]) -> Event:
    """Keep what happened in a collection: ``kind`` is "thing.happened"; ``facts`` are ids, names and numbers.

    Call it within the transaction of what it tells of; raises RuntimeError outside of one.
    """
    if not connection.in_atomic_block:
        raise RuntimeError(f"The event {kind} must be recorded in the transaction of what it tells of.")
    return Event.objects.create(kind=kind, collection_id=collection_id, facts=facts)


def untold() -> QuerySet[Event]:
    """Events that nobody was told of yet, the oldest first."""
    return Event.objects.filter(told_at=None).order_by("pk")


def tell_once(event: Event, tell: Callable[[Event], None]) -> bool:
    """Tell of the event and note it, in one transaction; False when another process did."""
    with transaction.atomic():
        if not untold().filter(pk=event.pk).update(told_at=clock.now()):
            return False
        tell(event)
    return True


def forget_told(before: datetime) -> int:
    """Delete events that were told of before then; returns how many."""
    return Event.objects.filter(told_at__lt=before).delete()[0]
