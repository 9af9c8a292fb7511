"""What all commands share: progress in a log, and the caller's name."""

import errno
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import OperationalError
from polars.exceptions import ComputeError
from rich.console import Console

from config.commands import console


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 1000.0

    monkeypatch.setattr(console.time, "monotonic", lambda: Clock.now)
    return Clock


def test_a_log_gets_a_line_every_two_seconds_and_the_same_one_only_every_minute(clock):
    out = StringIO()
    lines = console._PlainLines(Console(file=out), "Judging")

    for seconds, done in [(1, 1), (3, 2), (4, 3), (6, 3), (8, 3), (70, 3), (72, 4)]:
        clock.now = 1000.0 + seconds
        lines.update(done, 9, "")

    assert out.getvalue().splitlines() == [
        "Judging: 2 of 9",
        "Judging: 3 of 9",
        "Judging: 3 of 9",
        "Judging: 4 of 9",
    ]


@pytest.mark.parametrize("unknown", [KeyError("uid not found: 4711"), OSError("no login name")])
def test_a_user_without_a_name_is_called_nobody(monkeypatch, unknown):
    def no_name():
        raise unknown

    monkeypatch.setattr(console.getpass, "getuser", no_name)

    assert console.Command().who == ""


@pytest.mark.parametrize(
    "failure",
    [
        OperationalError("connection refused\n\tIs the server running?"),
        OSError(errno.EROFS, "Read-only file system"),
        ComputeError("parquet: No space left on device (os error 28)"),
    ],
)
def test_a_failure_outside_the_software_is_reported_without_a_traceback(monkeypatch, capsys, failure):
    def fail():
        raise failure

    monkeypatch.setattr("config.process.launcher.ensure_database", fail)

    with pytest.raises(SystemExit) as end:
        call_command("watchdog")

    first = str(failure).splitlines()[0]
    assert end.value.code == 1
    assert capsys.readouterr().err.startswith(f"The database, the disk or a network failed: {first}\n")
    with pytest.raises(type(failure)):
        call_command("watchdog", "--traceback")
