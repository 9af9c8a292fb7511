from dataclasses import asdict
from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser, UsageError
from config.plurals import many
from config.process.private_files import give_to_user
from judging.campaign.campaigns import campaign_named
from tournament.services.judgment_export import export_judgments


class Command(BaseCommand):
    help = (
        "Export a campaign's judgments and gold answers: as JSON Lines if FILE ends in .jsonl, else as TSV. Rows "
        "with a passage that only non-public runs supplied are left out."
    )
    example = "manage.py export_judgments spring --out judgments.tsv"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")
        parser.add_argument(
            "--signals",
            action="store_true",
            help="also export behavior (time on screen, changed answers, …); not for publication",
        )

    def act(self, *, campaign: str, out: Path, signals: bool, **options: Any) -> dict[str, Any]:
        if not out.parent.is_dir():
            raise UsageError(f"Folder {out.parent} does not exist.")
        with self.progress("Exporting") as progress:
            result = export_judgments(campaign_named(campaign), out, signals=signals, progress=progress)
        give_to_user(out)
        if result.left_out:
            self.note(
                f"Left out {many(result.left_out, 'row')} with a passage that only non-public runs supplied."
            )
        return asdict(result) | {"file": str(out)}
