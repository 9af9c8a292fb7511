"""Workers' messages to requesters: stored, listed by ``letters``, and mailed if the requester has an address."""

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
    """Return a requester who has offered tasks; raises LetterRefused."""
    row = Requester.objects.filter(pk=key, hit_types__isnull=False).distinct().first()
    if row is None:
        raise LetterRefused("unknown", "Requester not found.", "Choose one on the home page.")
    return row


def write_letter(worker: Worker, requester: Requester, text: str, now: datetime) -> Letter:
    """Store the worker's message and mail it. A repeated text within a day counts as the same message.

    Raises LetterRefused for an empty or too long text, and after ten messages in a day.
    """
    text = text.replace("\0", "").strip()
    if not text:
        raise LetterRefused("empty", "Write a few words, then send them.")
    if len(text) > LONGEST:
        raise LetterRefused("too_long", f"A message can have at most {LONGEST:,} characters.", "Shorten it.")
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
            signed = f"{text}\n\n-- \nworker {worker.worker_id}, via {settings.PUBLIC_URL}\n"
            outbox.write_mail(requester.email, f"Message from worker {worker.worker_id}", signed, now)
    return letter


def written_by(worker: Worker, requester: Requester) -> QuerySet[Letter]:
    """Return the worker's messages to the requester, newest first."""
    return Letter.objects.filter(worker=worker, requester=requester).order_by("-pk")


def written_to(requester: Requester | None) -> QuerySet[Letter]:
    """Return workers' messages to the requester (None: to any requester), newest first."""
    rows = Letter.objects.select_related("worker", "requester").order_by("-pk")
    return rows.filter(requester=requester) if requester else rows
