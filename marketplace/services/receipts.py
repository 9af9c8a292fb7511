"""What a worker reads of a finished task: its number, what was paid and when, the requester's own receipt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from marketplace.models import Assignment, LedgerEntry, Payout, Worker
from marketplace.question import origin, read_answers

#: Answer fields in which a requester's page names its own receipt, and where it can be read.
NUMBER, ADDRESS = "receipt", "receipt_address"
#: The answer field in which the page says that it submitted the task itself because the time was over.
ENDED, BY_TIME = "ended", "time"
_LONGEST = 100


@dataclass(frozen=True)
class Paid:
    """One amount in cents that was paid for a task, why, when, and the payout that carried it, if any."""

    what: str
    reason: str
    cents: int
    at: datetime
    payout: Payout | None


@dataclass(frozen=True)
class Receipt:
    """A finished task. ``number`` and ``address`` are the requester's own, empty where it gives none."""

    assignment: Assignment
    paid: list[Paid]
    number: str
    address: str


def receipt_of(worker: Worker, assignment_id: str) -> Receipt | None:
    """The receipt of a task that the worker submitted; None when there is no such task."""
    rows = Assignment.objects.handed_in().select_related("hit__hit_type__requester")
    row = rows.prefetch_related("bonuses").filter(worker=worker, assignment_id=assignment_id).first()
    if row is None:
        return None
    entries = LedgerEntry.objects.filter(assignment=row).select_related("bonus", "payout_item__payout__batch")
    number, address = requesters_receipt(row)
    return Receipt(row, [_paid(entry) for entry in entries.order_by("pk")], number, address)


def _paid(entry: LedgerEntry) -> Paid:
    item = getattr(entry, "payout_item", None)
    return Paid(
        what=str(entry.kind),
        reason=entry.bonus.reason if entry.bonus else "",
        cents=-entry.amount_cents,
        at=entry.made_at,
        payout=item.payout if item else None,
    )


def requesters_receipt(row: Assignment) -> tuple[str, str]:
    """The number and the address of the requester's own receipt, as the task's page sent them.

    The address must be on the site of the task's page: nothing else is linked.
    """
    answers = read_answers(row.answer)
    address = answers.get(ADDRESS, "")
    try:
        ours = address.isprintable() and origin(address) == origin(row.hit.external_url)
    except ValueError:
        ours = False
    return answers.get(NUMBER, "")[:_LONGEST], address if ours else ""


def ended_by_time(row: Assignment) -> bool:
    """Whether the task's page says that it submitted the task because the time was over."""
    return read_answers(row.answer).get(ENDED) == BY_TIME
