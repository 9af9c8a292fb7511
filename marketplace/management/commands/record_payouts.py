from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.plurals import many
from marketplace.services.operator import payouts


class Command(Base):
    help = (
        "Record the results in a payout file: its `state` column is paid or failed (`note` is optional). "
        "Each payout is recorded only once, so a file can be read again. Failed payouts go into a later batch."
    )
    example = "python -m marketplace record_payouts 2026-11.csv"

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def act(self, **options: Any) -> dict[str, Any]:
        """Record every line, or none."""
        try:
            with options["file"].open(newline="", encoding="utf-8-sig") as lines:
                recorded = payouts.record_csv(lines, clock.now())
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"Cannot read the file: {error}") from None
        return {"recorded": recorded.changed, "known_before": recorded.unchanged}

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(
            f"{many(result['recorded'], 'payout')} recorded; "
            f"{many(result['known_before'], 'was', 'were')} recorded before."
        )
