"""What workers write to requesters: kept, listed by ``letters``, and mailed where the requester has an address."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from marketplace.errors import LetterRefused
from marketplace.models import Letter, Requester, Worker
from marketplace.services import outbox

LONGEST = 4000
MOST_A_DAY = 10


def addressee(key: int) -> Requester:
    """A requester who has offered tasks; raises LetterRefused."""
    row = Requester.objects.filter(pk=key, hit_types__isnull=False).distinct().first()
    if row is None:
        raise LetterRefused("unknown", "Requester not found.", "Choose one on the home page.")
    return row


def write(worker: Worker, requester: Requester, text: str, now: datetime) -> Letter:
    """Keep what the worker writes, and mail it. The same text twice within a day is one letter.

    Raises LetterRefused without words, for too long a text, and for more than ten letters a day.
    """
    text = text.replace("\0", "").strip()
    if not text:
        raise LetterRefused("empty", "Write a few words, then send them.")
    if len(text) > LONGEST:
        raise LetterRefused("too_long", f"A message has at most {LONGEST:,} characters.", "Shorten it.")
    lately = Letter.objects.filter(worker=worker, written_at__gt=now - timedelta(days=1))
    if known := lately.filter(requester=requester, text=text).first():
        return known
    if lately.count() >= MOST_A_DAY:
        raise LetterRefused(
            "too_many", f"You have sent {MOST_A_DAY} messages in one day.", "Send this one tomorrow."
        )
    with transaction.atomic():
        letter = Letter.objects.create(worker=worker, requester=requester, text=text, written_at=now)
        if requester.email:
            signed = f"{text}\n\n-- \nworker {worker.worker_id}, by way of {settings.PUBLIC_URL}\n"
            outbox.write_mail(requester.email, f"A worker writes: {worker.worker_id}", signed, now)
    return letter


def written_by(worker: Worker, requester: Requester) -> QuerySet[Letter]:
    """What the worker wrote to the requester, the newest first."""
    return Letter.objects.filter(worker=worker, requester=requester).order_by("-pk")


def written_to(requester: Requester | None) -> QuerySet[Letter]:
    """What workers wrote to the requester, or to any; the newest first."""
    rows = Letter.objects.select_related("worker", "requester").order_by("-pk")
    return rows.filter(requester=requester) if requester else rows
