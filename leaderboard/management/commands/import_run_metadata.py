import getpass
from dataclasses import asdict
from pathlib import Path
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from config.plurals import many
from leaderboard.scoring.measure_names import is_measure
from pooling.collections.lookups import collection_named
from pooling.errors import InvalidFile
from pooling.runs.run_metadata import import_run_metadata


class Command(BaseCommand):
    help = (
        "Describe many runs at once from a table (TSV or CSV with a header; one column is called run). Columns named "
        "after measures contain the values that the track reported. A run without a file is announced, and its file "
        "gets the description once uploaded. If any line is invalid, nothing is imported."
    )
    example = "manage.py import_run_metadata mine runs.tsv"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", metavar="NAME", help="name of the collection")
        parser.add_argument("file", type=Path, metavar="FILE", help="the table")
        parser.add_argument(
            "--dry-run", action="store_true", help="check the table without changing anything"
        )

    def act(self, *, collection: str, file: Path, dry_run: bool, **options: Any) -> dict[str, Any]:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidFile(str(file), 0, f"cannot be read: {error}.", "Send a UTF-8 text file.") from None
        done = import_run_metadata(
            collection=collection_named(collection),
            text=text,
            name=str(file),
            is_measure=is_measure,
            who=getpass.getuser(),
            dry_run=dry_run,
        )
        self.lines = done.in_words
        return asdict(done) | {"dry_run": dry_run}

    def show(self, result: dict[str, Any]) -> None:
        if result["dry_run"]:
            for line in self.lines:
                self.stdout.write(line)
        described, announced, unchanged = (
            len(result[key]) for key in ("described", "announced", "unchanged")
        )
        self.out.print(
            f"{many(described, 'run')} described, {many(announced, 'run')} announced, {unchanged} unchanged."
            + (" Nothing was changed: this was a dry run." if result["dry_run"] else "")
        )
