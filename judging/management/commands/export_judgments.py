"""`manage.py export_judgments`: judgments for others, with pseudonyms."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from config.console import Command as BaseCommand
from config.console import UsageError
from config.plurals import many
from config.private_files import hand_over
from judging.services.campaigns import campaign_named
from judging.services.exporting import export_judgments


class Command(BaseCommand):
    help = (
        "Write all judgments and gold answers of a campaign: JSON lines when FILE ends in .jsonl, else TSV."
    )
    example = "manage.py export_judgments first --out judgments.tsv"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")
        parser.add_argument(
            "--signals",
            action="store_true",
            help="also how each answer came about (time on screen, changes of mind, …): not for publication",
        )

    def act(self, *, campaign: str, out: Path, signals: bool, **options: Any) -> dict[str, Any]:
        if not out.parent.is_dir():
            raise UsageError(f"There is no folder {out.parent}.")
        with self.progress("Exporting") as progress:
            result = export_judgments(campaign_named(campaign), out, signals=signals, progress=progress)
        hand_over(out)
        if result.left_out:
            self.note(
                f"Left out: {many(result.left_out, 'row')} with a passage that only non-public runs supplied."
            )
        return asdict(result) | {"file": str(out)}
