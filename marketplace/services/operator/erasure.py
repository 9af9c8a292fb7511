"""Forget workers: erase their personal data, but keep tasks and payments under the worker id."""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from marketplace.errors import AccountRefused
from marketplace.models import Assignment, Invitation, Letter, Outgoing, Payout, Worker, WorkerMessage
from marketplace.rules import money, worker_names
from marketplace.services.operator import forgotten_list, payouts
from marketplace.sweep import Sweep

logger = logging.getLogger(__name__)


@transaction.atomic
def erase_worker(worker: Worker, now: datetime, *, waive: bool = False) -> dict[str, int]:
    """Erase a worker's personal data, letters and messages, and close the account. Safe to repeat.

    Assignments, earnings, payouts, scores and blocks stay under the worker id, because requesters and the books
    need them. Returns counts of what was erased. Raises AccountRefused while a task is open or a payout is on its
    way. Also raises it while work is in review or money is unpaid, unless the person gives these up (``waive``).
    """
    rows = Assignment.objects.filter(worker=worker)
    if rows.held().exists():
        raise AccountRefused(
            f"{worker.username} has an open task.", "Forget the worker when the task is over."
        )
    if not waive and rows.filter(status=Assignment.Status.SUBMITTED).exists():
        raise AccountRefused(
            f"{worker.username} has a task in review.",
            "Forget the worker after the review. If the worker gives up this pay, add --waive.",
        )
    standing = payouts.payout_standing(worker)
    if standing.on_its_way or (standing.open and not waive and not worker.is_program):
        due = money.protocol_amount(standing.earned - standing.paid)
        raise AccountRefused(
            f"{worker.username} is still owed ${due}, which cannot be paid once the worker is forgotten.",
            "Pay it (`payouts`, `record_payouts`). If the worker gives up money not yet in a payout, add --waive.",
        )
    addressed = Q(destination__iexact=worker.email) if worker.email else Q(pk=None)
    done = {
        "accounts": int(worker.forgotten_at is None),
        "letters": Letter.objects.filter(worker=worker).delete()[0],
        "messages": WorkerMessage.objects.filter(worker=worker).delete()[0],
        "mails": Outgoing.objects.filter(addressed, transport=Outgoing.Transport.MAIL).delete()[0],
        "invitations": Invitation.objects.filter(worker=worker)
        .exclude(email="", note="", country="")
        .update(email="", note="", country=""),
        "notes": Payout.objects.filter(worker=worker).exclude(note="").update(note=""),
    }
    worker.signin_links.all().delete()
    worker.set_unusable_password()
    Worker.objects.filter(pk=worker.pk, forgotten_at=None).update(
        username=worker_names.forgotten_name(),
        password=worker.password,
        email="",
        email_confirmed_at=None,
        country="",
        country_by_operator=False,
        subdivision="",
        languages="",
        payout_method="",
        payout_details="",
        is_adult=False,
        is_master=False,
        is_active=False,
        last_login=None,
        forgotten_at=now,
    )
    forgotten_list.note_forgotten(worker.worker_id, waived=waive, now=now)
    return done


def forget_again(now: datetime) -> dict[str, int]:
    """After a restore, forget the listed workers again if they are back in the database. Safe to repeat.

    Returns two numbers of workers. ``forgotten``: forgotten again; ``left``: not forgotten, for example because the
    restored backup still owes them money. One failure does not stop the rest; SweepFailed is raised at the end.
    """
    named = {entry.worker_id: entry for entry in forgotten_list.forgotten_entries()}
    done = {"forgotten": 0, "left": 0}
    sweep = Sweep("Forgetting again after a restore")
    for worker in Worker.objects.filter(worker_id__in=named, forgotten_at=None).order_by("pk"):
        with sweep.step(f"worker {worker.worker_id}"):
            try:
                erase_worker(worker, now, waive=named[worker.worker_id].waived)
                done["forgotten"] += 1
            except AccountRefused as refusal:
                done["left"] += 1
                logger.warning("A forgotten worker is back after a restore: %s", refusal)
    sweep.end()
    return done


def forget_idle(now: datetime) -> int:
    """Forget workers who have been inactive for longer than the settings allow; returns how many.

    Activity is creating the account, signing in or taking a task. Programs, and workers who are owed money, are kept.
    One failure does not stop the rest; SweepFailed is raised at the end.
    """
    if not settings.KEEP_ACCOUNTS_DAYS:
        return 0
    before, forgotten = now - timedelta(days=settings.KEEP_ACCOUNTS_DAYS), 0
    seen = Worker.objects.filter(assignments__accepted_at__gte=before).values("pk")
    idle = Worker.objects.filter(forgotten_at=None, is_program=False, created_at__lt=before)
    idle = idle.filter(Q(last_login=None) | Q(last_login__lt=before)).exclude(pk__in=seen)
    sweep = Sweep("Forgetting idle workers")
    for worker in idle.order_by("pk"):
        with sweep.step(f"worker {worker.worker_id}"):
            try:
                erase_worker(worker, now)
                forgotten += 1
            except AccountRefused as refusal:
                logger.warning(
                    "An account is kept longer than MARKETPLACE_KEEP_ACCOUNTS_DAYS: %s", refusal.message
                )
    sweep.end()
    return forgotten


def erase_words(now: datetime) -> int:
    """Erase old letters and messages, and the addresses and notes of old invitations; returns how many.

    The settings say how many days they are kept. For an invitation, the days count from its expiry.
    """
    if not settings.KEEP_MESSAGES_DAYS:
        return 0
    before = now - timedelta(days=settings.KEEP_MESSAGES_DAYS)
    letters = Letter.objects.filter(written_at__lt=before).delete()[0]
    messages = WorkerMessage.objects.filter(sent_at__lt=before).delete()[0]
    over = Invitation.objects.filter(expires_at__lt=before).exclude(email="", note="")
    return letters + messages + over.update(email="", note="")
