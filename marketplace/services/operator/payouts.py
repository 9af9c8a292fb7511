"""Pay workers' earnings outside the marketplace: collect them in batches, write CSV files, and record results.

A batch has a name. Requesting the same name again gives the same file; newer earnings wait for the next batch. A
unique constraint keeps every reward and bonus in at most one payout. A failed payout is replaced by the worker's
payout in a later batch.
"""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncMonth

from marketplace.errors import PayoutRefused
from marketplace.models import Assignment, LedgerEntry, Payout, PayoutBatch, PayoutItem, Requester, Worker
from marketplace.rules import money
from marketplace.spreadsheets import as_text

COLUMNS = (
    "reference",
    "batch",
    "worker_id",
    "username",
    "email",
    "country",
    "method",
    "details",
    "amount",
    "currency",
    "tasks",
    "state",
    "note",
)
_EARNED = (LedgerEntry.Kind.REWARD, LedgerEntry.Kind.BONUS)
_ATTEMPTS = 5
_CHUNK = 1000


@dataclass(frozen=True)
class Standing:
    """A worker's money in cents: earned, paid out, and on its way (in a payout that is due)."""

    earned: int
    paid: int
    on_its_way: int

    @property
    def open(self) -> int:
        """The earnings, in cents, that are not in a due or paid payout."""
        return self.earned - self.paid - self.on_its_way


@dataclass(frozen=True)
class Recorded:
    """Counts of payouts: results recorded now (``changed``), and recorded before (``unchanged``)."""

    changed: int
    unchanged: int


def get_or_make_batch(
    name: str, *, until: datetime, now: datetime, least_cents: int = 0, requester: str = ""
) -> tuple[PayoutBatch, bool]:
    """Return the batch of that name, created if necessary, and whether it is new.

    A new batch takes the unpaid earnings up to ``until`` and all failed payouts (from one requester, if named) of
    workers who are owed at least ``least_cents``. Raises PayoutRefused if there is no such requester, nothing to pay,
    or a race with other batches.
    """
    found = PayoutBatch.objects.filter(name=name).first()
    if found is not None:
        return found, False
    payer = Requester.objects.filter(name=requester).first() if requester else None
    if requester and payer is None:
        raise PayoutRefused(f"There is no requester {requester}.", "`requesters` lists all requesters.")
    for _ in range(_ATTEMPTS):
        try:
            with transaction.atomic():
                made = PayoutBatch.objects.create(name=name, requester=payer, until=until, made_at=now)
                if not _fill_batch(made, least_cents):
                    raise PayoutRefused(
                        "There is nothing to pay out.",
                        "Try again after work is approved, or with a smaller --least.",
                    )
            return made, True
        except IntegrityError:  # another batch took some of these earnings or has this name: try again
            found = PayoutBatch.objects.filter(name=name).first()
            if found is not None:
                return found, False
    raise PayoutRefused("Other batches are being created right now.", "Try again.")


def _fill_batch(made: PayoutBatch, least_cents: int) -> int:
    entries: dict[int, list[LedgerEntry]] = defaultdict(list)
    for entry in _unpaid(made).order_by("pk").iterator(_CHUNK):
        assert entry.worker_id is not None
        entries[entry.worker_id].append(entry)
    failed: dict[int, list[Payout]] = defaultdict(list)
    unpaid = Payout.objects.filter(state=Payout.State.FAILED, made_good_by=None, worker__forgotten_at=None)
    if made.requester_id is not None:
        unpaid = unpaid.filter(batch__requester=made.requester_id)
    for payout in unpaid.order_by("pk"):
        failed[payout.worker_id].append(payout)
    count = 0
    for worker_id in sorted(entries.keys() | failed.keys()):
        amount = sum(-entry.amount_cents for entry in entries[worker_id])
        amount += sum(payout.amount_cents for payout in failed[worker_id])
        if amount < max(1, least_cents):
            continue
        payout = Payout.objects.create(batch=made, worker_id=worker_id, amount_cents=amount)
        items = (PayoutItem(payout=payout, entry=entry) for entry in entries[worker_id])
        PayoutItem.objects.bulk_create(items, batch_size=_CHUNK)
        _replace_failed(failed[worker_id], payout)
        count += 1
    return count


def _replace_failed(failed: Sequence[Payout], by: Payout) -> None:
    claimed = Payout.objects.filter(
        pk__in=[payout.pk for payout in failed], state=Payout.State.FAILED, made_good_by=None
    ).update(made_good_by=by)
    if claimed != len(failed):
        raise IntegrityError("a failed payout was already replaced elsewhere")


def _unpaid(made: PayoutBatch) -> QuerySet[LedgerEntry]:
    rows = LedgerEntry.objects.filter(
        kind__in=_EARNED, made_at__lte=made.until, payout_item=None, amount_cents__lt=0
    )
    rows = rows.filter(worker__is_program=False, worker__forgotten_at=None)
    return rows if made.requester_id is None else rows.filter(requester=made.requester_id)


def payout_csv(made: PayoutBatch) -> str:
    """Return the batch as CSV for the person who pays: one line per worker, amounts in dollars.

    Only confirmed addresses are included, because money may be sent there, and an unconfirmed one may be someone
    else's.
    """
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS)
    rows = made.payouts.select_related("worker").annotate(
        tasks=Count("items__entry", filter=Q(items__entry__kind=LedgerEntry.Kind.REWARD))
    )
    for row in rows.order_by("worker__username"):
        worker = row.worker
        cells = (
            row.reference,
            made.name,
            worker.worker_id,
            worker.username,
            worker.email if worker.email_confirmed_at else "",
            worker.country,
            worker.payout_method,
            worker.payout_details,
            money.protocol_amount(row.amount_cents),
            "USD",
            row.tasks,
            row.state,
            row.note,
        )
        lines.writerow([as_text(str(cell)) for cell in cells])
    return text.getvalue()


def record_csv(lines: Iterable[str], now: datetime) -> Recorded:
    """Record results of payouts from the columns ``reference``, ``state`` and, if present, ``note`` and ``amount``.

    A given amount must equal the payout's.
    Lines with the state paid or failed are recorded, all or none; lines with the state due are skipped. A line that
    is already recorded changes nothing. Reads files as spreadsheets save them: separated by commas, semicolons or
    tabs, amounts as 1.50, 1.5 or 1,50. Raises PayoutRefused for a missing column and, naming the line, for an unknown
    reference, an unknown state, another amount, or a payout that was recorded with a different state.
    """
    rows = iter(lines)
    head = next(rows, "")
    reader = csv.DictReader(chain([head], rows), delimiter=max(",;\t", key=head.count))
    missing = {"reference", "state"} - set(reader.fieldnames or [])
    if missing:
        raise PayoutRefused(
            f"Missing columns: {', '.join(sorted(missing))}.", "Use the file that `payouts` wrote."
        )
    changed = unchanged = 0
    with transaction.atomic():
        for number, row in enumerate(reader, start=2):
            state = (row["state"] or "").strip().lower()
            if state == Payout.State.DUE:
                continue
            _refuse_other_amount(row, number)
            if _record_result(row["reference"] or "", state, (row.get("note") or "").strip(), now, number):
                changed += 1
            else:
                unchanged += 1
    return Recorded(changed, unchanged)


def _refuse_other_amount(row: dict[str, str], line: int) -> None:
    """Refuse a line whose amount differs from the payout's, because the file was changed after it was written."""
    said = (row.get("amount") or "").strip()
    known = Payout.objects.filter(reference=(row["reference"] or "").strip()).first()
    if said and known and _dollars_to_cents(said) != known.amount_cents:
        raise PayoutRefused(
            f"Line {line}: the amount is {said}, but the payout's is {money.protocol_amount(known.amount_cents)}.",
            "Nothing was recorded. Pay the payout's amount, or record it by hand.",
        )


def _dollars_to_cents(said: str) -> int | None:
    """Convert dollars, with an optional decimal point or comma, to cents; None if invalid or ambiguous."""
    found = re.fullmatch(r"([0-9]{1,12})(?:[.,]([0-9]{1,2}))?", said)
    return int(found[1]) * 100 + int((found[2] or "").ljust(2, "0")) if found else None


def _record_result(reference: str, state: str, note: str, now: datetime, line: int) -> bool:
    if state not in (Payout.State.PAID, Payout.State.FAILED):
        raise PayoutRefused(
            f"Line {line}: unknown state {state!r}.",
            "Nothing was recorded. Change it to paid, failed or due.",
        )
    rows = Payout.objects.filter(reference=reference.strip())
    if rows.filter(state=Payout.State.DUE).update(state=state, decided_at=now, note=note[:500]):
        return True
    row = rows.first()
    if row is None:
        raise PayoutRefused(
            f"Line {line}: there is no payout {reference!r}.", "Use the file that `payouts` wrote."
        )
    if row.state != state:
        raise PayoutRefused(
            f"Line {line}: payout {row.reference} was already recorded as {row.state}.",
            "Nothing was recorded. Correct the line.",
        )
    return False


def payout_standing(worker: Worker) -> Standing:
    """Return how much a worker has earned, how much was paid, and how much is on its way."""
    sums = dict(worker.payouts.values_list("state").annotate(total=Sum("amount_cents")).order_by())
    return Standing(worker.earned_cents, sums.get(Payout.State.PAID, 0), sums.get(Payout.State.DUE, 0))


def months_of(worker: Worker) -> list[dict[str, Any]]:
    """Return a worker's earnings by month (UTC), latest first: rewards and bonuses in cents, and tasks paid.

    A task that was paid although it was not submitted has a bonus and no reward.
    """
    reward, bonus = (Q(kind=kind) for kind in _EARNED)
    unsubmitted = bonus & Q(assignment__status=Assignment.Status.FREE)
    rows = (
        worker.ledger.filter(kind__in=_EARNED)
        .annotate(month=TruncMonth("made_at"))
        .values("month")
        .annotate(
            tasks=Count("assignment", filter=reward | unsubmitted, distinct=True),
            rewards=-Coalesce(Sum("amount_cents", filter=reward), 0),
            bonuses=-Coalesce(Sum("amount_cents", filter=bonus), 0),
        )
        .order_by("-month")
    )
    return [{**row, "total": row["rewards"] + row["bonuses"]} for row in rows]


def all_payouts() -> QuerySet[PayoutBatch]:
    """Return every batch, newest first, with its number of workers and its cents in each payout state."""
    sums = {
        f"{state}_cents": Sum("payouts__amount_cents", filter=Q(payouts__state=state))
        for state in Payout.State.values
    }
    return PayoutBatch.objects.annotate(workers=Count("payouts"), **sums).order_by("-pk")
