"""``python -m marketplace payouts [NAME]``."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from marketplace import clock, money
from marketplace.console import Command as Base
from marketplace.console import write_private
from marketplace.management.commands.top_up import cents_argument
from marketplace.plurals import many
from marketplace.services import payouts


def _moment(word: str) -> datetime:
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:
        raise ArgumentTypeError(f"{word!r} is no date such as 2026-12-01") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


class Command(Base):
    """What workers are to be paid outside."""

    help = (
        "Count what workers earned and were not paid, as a batch with a name, and write it as CSV. The same "
        "name gives the same batch again: nothing is ever counted twice. Without a name: list the batches."
    )
    example = (
        "python -m marketplace payouts 2026-11 --until 2026-12-01 --least 5.00 --out 2026-11.csv\n"
        "  python -m marketplace record_payouts 2026-11.csv"
    )

    def arguments(self, parser: ArgumentParser) -> None:
        """Which batch, and what goes into it."""
        parser.add_argument("name", nargs="?", help="the batch, such as 2026-11")
        parser.add_argument("--out", type=Path, help="the CSV file; readable by its owner alone")
        parser.add_argument("--until", type=_moment, help="what was earned up to then, UTC (default: now)")
        parser.add_argument("--least", type=cents_argument, default=0, help="dollars; who has less waits")
        parser.add_argument("--requester", default="", help="only what this requester's tasks earned")

    def act(self, **options: Any) -> dict[str, Any]:
        """Make or find the batch and write it; or list them all."""
        if options["name"] is None:
            return {"batches": [_describe(row) for row in payouts.listed()]}
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}", options["name"]):
            raise CommandError("Name a batch with letters, digits and . _ - only.", returncode=2)
        if options["out"] is None:
            raise CommandError("Say where the file goes: --out FILE.", returncode=2)
        now = clock.now()
        made, new = payouts.batch(
            options["name"],
            until=min(options["until"] or now, now),
            now=now,
            least_cents=options["least"],
            requester=options["requester"],
        )
        write_private(options["out"], payouts.write_csv(made))
        [row] = payouts.listed().filter(pk=made.pk)
        return {**_describe(row), "new": new, "out": str(options["out"])}

    def show(self, result: dict[str, Any]) -> None:
        """A table of batches, or a sentence."""
        head = ("name", "until", "workers", "due", "paid", "failed")
        if "batches" in result:
            self.table(head, ([row[name] for name in head] for row in result["batches"]))
            return
        made = "made now" if result["new"] else "made before; nothing was counted anew"
        self.stdout.write(
            f"Batch {result['name']} ({made}): {many(result['workers'], 'worker')}, "
            f"${result['due']} due, ${result['paid']} paid, ${result['failed']} failed. It is in {result['out']}."
        )


def _describe(row: Any) -> dict[str, Any]:
    sums = {state: money.dollars(getattr(row, f"{state}_cents") or 0) for state in ("due", "paid", "failed")}
    return {"name": row.name, "until": row.until.isoformat(), "workers": row.workers, **sums}
