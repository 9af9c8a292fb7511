import re
from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from marketplace import clock
from marketplace.console import Command as Base, write_private
from marketplace.management.commands.top_up import cents_argument
from marketplace.plurals import many
from marketplace.rules import money
from marketplace.services.operator import payouts


def _moment_argument(word: str) -> datetime:
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:
        raise ArgumentTypeError(f"{word!r} is not a date such as 2026-12-01") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


class Command(Base):
    help = (
        "Put unpaid earnings into a named batch and write it as CSV. Running it again with the same "
        "name writes the same batch; nothing is paid twice. Without a name, list the batches."
    )
    example = (
        "python -m marketplace payouts 2026-11 --until 2026-12-01 --least 5.00 --out 2026-11.csv\n"
        "  python -m marketplace record_payouts 2026-11.csv"
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", help="name of the batch, such as 2026-11")
        parser.add_argument("--out", type=Path, help="the CSV file; only its owner can read it")
        parser.add_argument(
            "--until", type=_moment_argument, help="include earnings up to this time, UTC (default: now)"
        )
        parser.add_argument("--least", type=cents_argument, default=0, help="dollars; smaller amounts wait")
        parser.add_argument("--requester", default="", help="only earnings from this requester's tasks")

    def act(self, **options: Any) -> dict[str, Any]:
        if options["name"] is None:
            return {"batches": [_batch_fields(row) for row in payouts.all_payouts()]}
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}", options["name"]):
            raise CommandError(
                "A batch name begins with a letter or digit, and has at most 60 letters, digits, periods, "
                "underscores and hyphens.",
                returncode=2,
            )
        if options["out"] is None:
            raise CommandError("The output file is missing. Add --out FILE.", returncode=2)
        now = clock.now()
        made, new = payouts.get_or_make_batch(
            options["name"],
            until=min(options["until"] or now, now),
            now=now,
            least_cents=options["least"],
            requester=options["requester"],
        )
        write_private(options["out"], payouts.payout_csv(made))
        [row] = payouts.all_payouts().filter(pk=made.pk)
        return {**_batch_fields(row), "new": new, "out": str(options["out"])}

    def show(self, result: dict[str, Any]) -> None:
        if "batches" in result:
            self.table(("name", "until", "workers", "due", "paid", "failed"), result["batches"])
            return
        made = "created now" if result["new"] else "created earlier; nothing was added"
        self.stdout.write(
            f"Batch {result['name']} ({made}): {many(result['workers'], 'worker')}, "
            f"${result['due']} due, ${result['paid']} paid, ${result['failed']} failed. File: {result['out']}."
        )


def _batch_fields(row: Any) -> dict[str, Any]:
    sums = {
        state: money.protocol_amount(getattr(row, f"{state}_cents") or 0)
        for state in ("due", "paid", "failed")
    }
    return {"name": row.name, "until": row.until.isoformat(), "workers": row.workers, **sums}
