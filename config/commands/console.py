"""The base class of all commands, with the option ``--json``, progress on stderr, and exit status 0, 1 or 2.

0 means done, 1 refused with a reason, 2 wrong usage. Results go to stdout, everything else to stderr.
"""

import argparse
import getpass
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser, DjangoHelpFormatter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from config.commands.command_line import pasteable
from config.errors import Refusal
from config.process.private_files import give_to_user

#: Options of every Django command, and the streams that tests pass. They are not passed to ``act``.
DJANGO_OPTIONS = {"stdout", "stderr"} | {
    option.removeprefix("--").replace("-", "_") for option in DjangoHelpFormatter.show_last - {"--version"}
}


class UsageError(Exception):
    """The command was called incorrectly; exit status 2."""


def write_result(path: Path, content: bytes) -> None:
    """Write a file that a person asked for, with the shell's default permissions for new files."""
    new = not path.exists()
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}") from None
    if new:
        give_to_user(path)


def read_text_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text.") from None


class Command(BaseCommand):
    """The base class of all commands. Subclasses define ``example``, ``arguments`` and ``act``.

    ``act(**options)`` gets the command's own arguments, and can pass them on to its service under the same names. It
    returns a dict of JSON values, which ``--json`` prints unchanged; ``show`` prints it for people.
    """

    example = ""
    #: Printed before the database is set up, if a command takes a while to start.
    opening = ""
    requires_system_checks: list[str] = []
    stealth_options = ("stderr_console",)

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name,
            subcommand,
            epilog=f"Example:\n  {pasteable(self.example)}" if self.example else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            conflict_handler="resolve",  # a command's own --version replaces Django's
            **kwargs,
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the result as JSON on stdout")
        self.arguments(parser)

    def arguments(self, parser: CommandParser) -> None:
        """Add the command's own arguments."""

    def act(self, *args: Any, **options: Any) -> dict[str, Any]:
        """Call the command's service. Return the dict that ``--json`` prints."""
        raise NotImplementedError

    def refusals(self, result: dict[str, Any]) -> list[str]:
        """Return a text for each refused part of the work.

        If there are any, the command prints its result and then exits with status 1.
        """
        return []

    def show(self, result: dict[str, Any]) -> None:
        """Print the result for a person; by default one line per key."""
        # The terminal wraps long lines. A table would break links, so that they could not be copied.
        width = max((len(key) for key in result), default=0) + 1
        for key, value in result.items():
            lines = result_words(value).split("\n")
            words = ("\n" + " " * (width + 1)).join(lines)
            self.out.print(pasteable(f"{key.replace('_', ' '):<{width}} {words}".rstrip()), markup=False)

    def handle(self, *args: Any, **options: Any) -> None:
        from config.background.failures import fault_of
        from config.background.models import Job
        from config.process import launcher

        self.out = Console(file=cast(IO[str], self.stdout._out), highlight=False, soft_wrap=True)
        self.err = Console(file=cast(IO[str], self.stderr._out), highlight=False, soft_wrap=True)
        as_json = options.pop("json")
        if self.opening and settings.LOG_FORMAT == "plain":  # stderr can hold JSON lines instead
            self.note(self.opening)
        try:
            launcher.ensure_database()
            result = self.act(**{name: options[name] for name in options.keys() - DJANGO_OPTIONS})
        except Refusal as refusal:
            self.note(f"Refused: {refusal.message}")
            if refusal.next_step:
                self.note(refusal.next_step)
            sys.exit(1)
        except UsageError as error:
            self.err.print(f"{self.prog}: {error}", markup=False)
            sys.exit(2)
        except KeyboardInterrupt:
            self.err.print("Stopped. The work done so far is kept. Run the same command again to continue.")
            sys.exit(1)
        except Exception as error:
            is_closed_pipe = isinstance(error, BrokenPipeError)  # no failure: `manage.py ... | head`
            if options["traceback"] or is_closed_pipe or fault_of(error) != Job.Fault.OUTSIDE:
                raise
            self.note(f"The database, the disk or a network failed: {str(error).partition(chr(10))[0]}")
            self.note("Check the database and DATABASE_URL, and that the disk is writable and has room.")
            sys.exit(1)
        if as_json:
            self.stdout.write(json.dumps(result, default=str, ensure_ascii=False, indent=1))
        else:
            self.show(result)
        for refused in (refusals := self.refusals(result)):
            self.note(f"Refused: {refused}")
        if refusals:
            sys.exit(1)

    @property
    def prog(self) -> str:
        return self.__module__.rpartition(".")[2]

    @property
    def who(self) -> str:
        """The account name of the person at the terminal, for logs; empty if it is unknown."""
        try:
            return getpass.getuser()
        except (KeyError, OSError):  # a container's user may have no name
            return ""

    def note(self, text: str) -> None:
        """Print a note on stderr, with commands that can be pasted into this shell."""
        self.err.print(pasteable(text), markup=False)

    @contextmanager
    def progress(self, description: str) -> Iterator[Any]:
        """Show a progress bar on stderr; yields ``update(done, total, message="")``.

        If stderr is not a terminal, this prints a plain line every few seconds instead.
        """
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=self.err, transient=True, disable=not self.err.is_terminal) as bars:
            bar = bars.add_task(description, total=None)
            lines = _PlainLines(self.err, description)

            def update(done: int, total: int, message: str = "") -> None:
                bars.update(bar, completed=done, total=total or None, description=message or description)
                if not self.err.is_terminal:
                    lines.update(done, total, message)

            yield update


def result_words(value: Any) -> str:
    """Format a value of a result for a person: counts with commas, lists and dictionaries on one line."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case dict():
            return (
                ", ".join(f"{str(key).replace('_', ' ')} {result_words(one)}" for key, one in value.items())
                or "none"
            )
        case list() | tuple():
            return ", ".join(map(result_words, value)) or "none"
    return "none" if value is None else str(value)


class _PlainLines:
    """Prints progress for logs: one line every two seconds, or every minute while nothing changes."""

    every_seconds, unchanged_seconds = 2.0, 60.0

    def __init__(self, console: Console, description: str) -> None:
        self.console, self.description = console, description
        self.printed_at, self.printed = time.monotonic(), ""

    def update(self, done: int, total: int, message: str) -> None:
        share = f"{done:,} of {total:,}" if total else f"{done:,}"
        line = f"{message or self.description}: {share}"
        wait = self.unchanged_seconds if line == self.printed else self.every_seconds
        if time.monotonic() - self.printed_at < wait:
            return
        self.printed_at, self.printed = time.monotonic(), line
        self.console.print(line, markup=False)
