"""Printed command lines work when pasted into a shell."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from config.commands.command_line import pasteable
from config.settings import BASE_DIR
from tests.waiting import PATIENCE_SECONDS
from web.demo import SAMPLE, run_files, shell_command


def in_a_shell(line: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=BASE_DIR,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


@pytest.fixture
def in_the_project(monkeypatch):
    monkeypatch.chdir(BASE_DIR)


@pytest.mark.parametrize("activated", [False, True])
def test_printed_commands_run_with_and_without_an_activated_environment(
    in_the_project, monkeypatch, activated
):
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}" if activated else "/usr/bin:/bin"
    monkeypatch.setenv("PATH", path)

    for words in ("manage.py collect --help", "python -m marketplace invite --help"):
        line = pasteable(words)
        done = in_a_shell(line)
        assert done.returncode == 0, done.stderr
        assert "usage:" in done.stdout
    assert pasteable("Run: manage.py collect first").endswith(
        "./manage.py collect first" if activated else " manage.py collect first"
    )


def test_from_another_folder_the_paths_are_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    done = subprocess.run(
        ["/bin/sh", "-c", pasteable("manage.py collect --help")],
        cwd=tmp_path,
        check=False,
        capture_output=True,
    )

    assert done.returncode == 0


def test_other_words_are_unchanged(in_the_project):
    kept = ["see manage.py", ".venv/bin/python manage.py.", "./manage.py collect x", "unmanage.py collect"]
    assert [pasteable(words) for words in kept] == kept


def test_the_shell_expands_the_demos_file_pattern():
    files = run_files(BASE_DIR / SAMPLE / "runs")
    line = shell_command(["import_runs", "my sample", *files])

    done = in_a_shell(f"printf '%s\\n' {line}")

    assert "'*" not in line
    shown = done.stdout.splitlines()
    assert shown[:2] == ["import_runs", "my sample"]
    assert [str(BASE_DIR / name) for name in shown[2:]] == files


def test_help_and_refusals_show_commands_that_can_be_pasted(db, in_the_project, monkeypatch):
    monkeypatch.setattr("config.process.launcher.ensure_database", lambda: None)
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    with pytest.raises(SystemExit):
        call_command("collect", "--help")

    assert pasteable("manage.py collect spring --wait") in out.getvalue()
    assert "\n  manage.py" not in out.getvalue()
