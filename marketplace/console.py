"""The base class of the operator's commands.

Each command accepts ``--json`` and prints its result on stdout. Its exit status is 0 on success, 1 if it was refused
with a reason, and 2 for wrong usage.
"""

import json
import os
import shlex
import shutil
import sys
import tempfile
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from marketplace.errors import AccountRefused, SweepFailed


def _python_command() -> str:
    """Return this process's Python as a shell command: ``python`` if that finds it, else its path."""
    found, own = shutil.which("python"), Path(sys.executable)
    if found and Path(found) == own:
        return "python"
    here = Path.cwd()
    return shlex.quote(str(own.relative_to(here) if own.is_relative_to(here) else own))


class Command(BaseCommand):
    """A command. ``act(**options)`` returns its result; ``show`` prints the result for people."""

    example = ""
    #: The key of the list in the result that ``show`` prints as a table, and the columns of that table.
    listed = ""
    columns: tuple[str, ...] = ()
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Return a parser whose help ends with the example."""
        return super().create_parser(
            prog_name,
            subcommand,
            epilog=f"Example:\n  {self.example.replace('python', _python_command())}",
            formatter_class=RawDescriptionHelpFormatter,
            **kwargs,
        )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add ``--json`` and the command's own arguments."""
        parser.add_argument("--json", action="store_true", help="print the result as JSON on stdout")
        self.arguments(parser)

    def arguments(self, parser: ArgumentParser) -> None:
        """Add the command's own arguments."""

    def act(self, **options: Any) -> dict[str, Any]:
        """Make the command's one service call and return its result."""
        raise NotImplementedError

    def show(self, result: dict[str, Any]) -> None:
        """Print the result's list as a table or, without a list, all values on one line."""
        if self.listed:
            self.table(self.columns, result[self.listed])
        else:
            self.stdout.write(
                ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in result.items())
            )

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate the database if needed, run the command and print its result."""
        migrate_if_needed()
        try:
            result = self.act(**options)
        except (AccountRefused, SweepFailed) as refusal:
            raise CommandError(str(refusal)) from None
        if options["json"]:
            self.stdout.write(json.dumps(result, default=str, ensure_ascii=False, indent=1))
        else:
            self.show(result)

    def table(self, head: tuple[str, ...], rows: Iterable[Mapping[str, object]]) -> None:
        """Print the rows as an aligned table of the columns in ``head``."""
        lines = [list(head), *([str(row[name]) for name in head] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            self.stdout.write("  ".join(padded).rstrip())


def migrate_if_needed() -> None:
    """Bring the database up to date. Checking first is faster than running an empty migration."""
    from django.core.management import call_command

    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)


def refuse_existing(file: Path | None) -> None:
    """Refuse to overwrite a file of links, because the links are stored nowhere else."""
    if file is not None and file.exists():
        raise CommandError(f"{file} already exists, and its links would be lost. Choose another file.")


def write_private(file: Path, text: str) -> None:
    """Write a file that only its owner can read, because it contains keys, links or payments.

    The finished file is moved into place, so that no reader sees half of it.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    with os.fdopen(handle, "w", newline="") as stream:
        stream.write(text)
    Path(draft).replace(file)
