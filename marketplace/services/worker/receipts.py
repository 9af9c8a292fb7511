"""Receipts for submitted tasks, with their payments and a link to the requester's own receipt."""

from dataclasses import dataclass
from datetime import datetime

from marketplace.models import Assignment, LedgerEntry, Payout, Worker
from marketplace.protocol.question import read_answers, url_origin

#: Answer fields in which a requester's page sends the number and address of its own receipt.
NUMBER, ADDRESS = "receipt", "receipt_address"
#: The answer field, and its value, by which the page says that it submitted the task because time ran out.
ENDED, BY_TIME = "ended", "time"
_LONGEST = 100


@dataclass(frozen=True)
class Payment:
    """One payment for a task, in cents: the reason, the time, and the payout that included it, if any."""

    what: str
    reason: str
    cents: int
    at: datetime
    payout: Payout | None


@dataclass(frozen=True)
class Receipt:
    """A submitted task and its payments, with the requester's own receipt (``number`` and ``address``), if any."""

    assignment: Assignment
    paid: list[Payment]
    number: str
    address: str


def worker_receipt(worker: Worker, assignment_id: str) -> Receipt | None:
    """Return the receipt of a task that the worker submitted; None if there is no such task."""
    rows = Assignment.objects.handed_in().select_related("hit__hit_type__requester")
    row = rows.prefetch_related("bonuses").filter(worker=worker, assignment_id=assignment_id).first()
    if row is None:
        return None
    entries = LedgerEntry.objects.filter(assignment=row).select_related("bonus", "payout_item__payout__batch")
    number, address = requesters_receipt(row)
    return Receipt(row, [_payment_of_entry(entry) for entry in entries.order_by("pk")], number, address)


def _payment_of_entry(entry: LedgerEntry) -> Payment:
    item = getattr(entry, "payout_item", None)
    return Payment(
        what=str(entry.kind),
        reason=entry.bonus.reason if entry.bonus else "",
        cents=-entry.amount_cents,
        at=entry.made_at,
        payout=item.payout if item else None,
    )


def requesters_receipt(row: Assignment) -> tuple[str, str]:
    """Return the number and the address of the requester's own receipt, as the task's page sent them.

    The address must be on the site of the task's page; any other address is left out.
    """
    answers = read_answers(row.answer)
    address = answers.get(ADDRESS, "")
    try:
        ours = address.isprintable() and url_origin(address) == url_origin(row.hit.external_url)
    except ValueError:
        ours = False
    return answers.get(NUMBER, "")[:_LONGEST], address if ours else ""


def ended_by_time(row: Assignment) -> bool:
    """Return whether the task's page says that it submitted the task because time ran out."""
    return read_answers(row.answer).get(ENDED) == BY_TIME
