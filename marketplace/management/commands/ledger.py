import csv
import io
from argparse import ArgumentParser
from typing import Any

from marketplace.console import Command as Base
from marketplace.models import LedgerEntry
from marketplace.services.operator import requesters
from marketplace.spreadsheets import as_text

COLUMNS = ("made_at", "kind", "amount", "fee", "worker_id", "assignment_id", "reference")


class Command(Base):
    help = "Print a requester's ledger as CSV, oldest entry first; the entries add up to the balance."
    example = "python -m marketplace ledger lab > lab.csv"

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")

    def act(self, **options: Any) -> dict[str, Any]:
        rows = requesters.ledger_of(requesters.requester_named(options["name"]))
        return {"entries": [_entry_fields(row) for row in rows.iterator(1000)]}

    def show(self, result: dict[str, Any]) -> None:
        text = io.StringIO()
        lines = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        lines.writeheader()
        lines.writerows(entry | {"reference": as_text(entry["reference"])} for entry in result["entries"])
        self.stdout.write(text.getvalue(), ending="")


def _entry_fields(row: LedgerEntry) -> dict[str, Any]:
    return {
        "made_at": row.made_at.isoformat(),
        "kind": row.kind,
        "amount": _signed_dollars(row.amount_cents),
        "fee": _signed_dollars(row.fee_cents),
        "worker_id": row.worker.worker_id if row.worker else "",
        "assignment_id": row.assignment.assignment_id if row.assignment else "",
        "reference": row.reference,
    }


def _signed_dollars(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"
