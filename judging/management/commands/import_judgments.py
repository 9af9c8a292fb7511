from dataclasses import asdict
from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser, UsageError
from judging.campaign.campaigns import campaign_named
from judging.campaign.imported_judgments import import_judgments


class Command(BaseCommand):
    help = "Import judgments from a TSV with the header: topic left right preferred [worker time phase]."
    example = "manage.py import_judgments elsewhere judgments.tsv --phase I,II"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("file", type=Path)
        parser.add_argument("--phase", default="", help="only these phases, separated by commas")

    def act(self, *, campaign: str, file: Path, phase: str, **options: Any) -> dict[str, Any]:
        if not file.is_file():
            raise UsageError(f"File {file} does not exist.")
        phases = [word.strip() for word in phase.split(",") if word.strip()]
        with self.progress("Importing judgments") as progress:
            return asdict(import_judgments(campaign_named(campaign), file, phases=phases, progress=progress))
