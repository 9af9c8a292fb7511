"""`manage.py demo` as a newcomer runs it: a new folder, no services, no processes left afterwards."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.settings import BASE_DIR
from tests.provision import free_port
from tests.waiting import PATIENCE_SECONDS

# It uses a separate SQLite file in every stage.
pytestmark = [
    pytest.mark.soak,
    pytest.mark.journey,
    pytest.mark.one_database,
    pytest.mark.xdist_group("demo"),
]


def environment_of_a_newcomer(folder: Path) -> dict[str, str]:
    """Return settings for only the folder and two free ports: SQLite and the embedded parts."""
    ours = ("PREFEREE_", "MARKETPLACE_", "DATABASE_URL", "REDIS_URL", "CELERY_", "DJANGO_", "SECRET_KEY")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {
        "PREFEREE_DATA_DIR": str(folder),
        "PREFEREE_PUBLIC_URL": f"http://127.0.0.1:{free_port()}",
        "MARKETPLACE_PORT": str(free_port()),
    }


def left_behind(folder: Path) -> list[str]:
    """Return the command lines of running processes that were started with this data folder."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            try:
                if f"PREFEREE_DATA_DIR={folder}".encode() in (process / "environ").read_bytes().split(b"\0"):
                    found.append((process / "cmdline").read_text().replace("\0", " "))
            except (OSError, PermissionError):  # it has ended, or belongs to somebody else
                continue
    return found


def test_demo_publishes_two_versions_and_leaves_no_process_behind(tmp_path):
    folder = tmp_path / "data"

    done = subprocess.run(
        [sys.executable, "manage.py", "demo", "--json"],
        cwd=BASE_DIR,
        env=environment_of_a_newcomer(folder),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads(done.stdout)
    boards = [result["version_1"], result["version_2"]]
    assert [board["version"] for board in boards] == [1, 2]
    assert all(board["simulated"] for board in boards)
    assert all(board["queries"] >= 40 for board in boards)
    assert result["challenge"]["challengers"] > 0
    assert set(result["later_runs"]) <= {row["run"] for row in result["moved"]}
    moved = [row for row in result["moved"] if row["rank_before"] not in (None, row["rank"])]
    assert moved
    assert "simulated" in done.stderr
    assert (folder / "preferee.sqlite3").exists()
    # A printed command line, pasted: every file of the pattern is found, and already imported.
    line = next(line for line in done.stderr.splitlines() if " import_runs " in line).partition("$ ")[2]
    pasted = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=BASE_DIR,
        env=environment_of_a_newcomer(folder),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert pasted.stderr.count("the same content is already imported") == 10, pasted.stderr
    assert left_behind(folder) == []
