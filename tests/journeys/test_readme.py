"""The commands of the README, in order: its targets of `make`, and its lines on the sample."""

import gzip
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from config.settings import BASE_DIR
from tests.journeys.installation import running
from tests.journeys.test_demo import environment_of_a_newcomer, left_behind
from tests.waiting import PATIENCE_SECONDS, answers, wait_until

SAMPLE = BASE_DIR / "docs" / "sample"
#: After this command, simulated workers judge.
JUDGED = "./manage.py simulate_workers spring --workers 25 --truth official --seed 1"

#: `make` with the environment that runs the tests, which it does not install again.
MAKE = ["make", "--no-print-directory", "--old-file=.venv/.ready", f"BIN={Path(sys.executable).parent}"]
#: What each target of the README runs, and the test that runs the same.
TARGETS = {
    "run": "python manage.py run",  # test_make_run_prints_the_link_that_makes_the_first_administrator
    "demo": "python manage.py demo",  # test_demo.py
    "setup": "python manage.py setup",  # test_launcher.py
    # A test cannot run the tests that it belongs to.
    "test": "python -m tests test",
    "soak": "python -m tests soak",
    # For developers: checks and measurements of the checkout. No test runs them.
    "lint": "ruff check .",
    "bench": "for script in benchmarks/[a-z]*.py;",
    "screenshots": "python -m tests.screenshots",
}

pytestmark = [pytest.mark.journey, pytest.mark.soak]


def commands() -> list[str]:
    lines = re.findall(r"^\./manage\.py .*$", (BASE_DIR / "README.md").read_text(), re.MULTILINE)
    return [line.partition("#")[0].strip() for line in lines]


@pytest.mark.one_database
@pytest.mark.parametrize(
    "script", sorted((BASE_DIR / "benchmarks").glob("[a-z]*.py")), ids=lambda path: path.stem
)
def test_every_benchmark_can_be_checked(script):
    shown = subprocess.run([sys.executable, script, "--help"], capture_output=True, text=True, check=True)

    assert "--check" in shown.stdout  # `make bench` passes it to every script


@pytest.mark.one_database
def test_every_make_target_of_the_readme_runs_what_it_says():
    named = set(re.findall(r"\bmake (\w+)", (BASE_DIR / "README.md").read_text()))

    assert named == set(TARGETS)
    for target, command in TARGETS.items():
        shown = subprocess.run(
            [*MAKE, "--dry-run", target], cwd=BASE_DIR, capture_output=True, text=True, check=True
        )
        first = shown.stdout.splitlines()[0].removeprefix(f"{Path(sys.executable).parent}/")
        assert first.startswith(command), (target, shown.stdout)


@contextmanager
def making(target, environment, log):
    """Type `make` with this target in a terminal, and press Ctrl-C at the end."""
    with log.open("wb") as said:
        process = subprocess.Popen(
            [*MAKE, target], cwd=BASE_DIR, env=environment, stdout=said, stderr=said, start_new_session=True
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        process.wait(PATIENCE_SECONDS)


@pytest.mark.one_database
def test_make_run_prints_the_link_that_makes_the_first_administrator(tmp_path):
    environment, log = environment_of_a_newcomer(tmp_path / "var"), tmp_path / "log"
    site = environment["PREFEREE_PUBLIC_URL"]

    browser = httpx.Client(timeout=PATIENCE_SECONDS, follow_redirects=True)
    with making("run", environment, log) as process, browser:
        wait_until(lambda: process.poll() is not None or answers(f"{site}/readyz"), log.read_text)
        [link] = re.findall(rf"{site}/accounts/invitations/\S+", log.read_text())
        secret = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(link).text)[1]
        account = {"username": "ada", "password": "a horse reads passages"}
        home = browser.post(link, data=account | {"csrfmiddlewaretoken": secret})

    said = log.read_text()  # also what it said while it stopped
    assert (home.status_code, str(home.url)) == (200, f"{site}/")
    assert "Load it with simulated judgments" in home.text  # for administrators only
    assert not re.search("ERROR|Traceback", said), said
    assert left_behind(tmp_path / "var") == []


@pytest.fixture
def folder(tmp_path):
    """The sample's files under the names in the README."""
    for name in ("queries.tsv", "passages.tsv"):
        shutil.copy(SAMPLE / name, tmp_path)
    # With one label per question and so few passages, gold pairs are too easy to recognize: the launch is refused.
    shutil.copy(SAMPLE / "grades.txt", tmp_path / "qrels.txt")
    shutil.copytree(SAMPLE / "runs", tmp_path / "runs")
    later = gzip.decompress((SAMPLE / "later" / "proximity.txt.gz").read_bytes()).decode()
    (tmp_path / "new-run.txt.gz").write_bytes(
        gzip.compress(re.sub(r"\S+$", "new-run", later, flags=re.M).encode())
    )
    return tmp_path


def test_every_command_of_the_readme_does_what_it_says(folder):
    with running(folder / "var") as environment:
        said = {}
        for line in commands():
            if line.startswith("./manage.py campaign_status"):
                type_(JUDGED, folder, environment)
            said[line.split()[1]] = type_(line, folder, environment)

    assert "every pair is judged" in said["campaign_status"].lower()
    assert (folder / "preference.qrels").read_text().count("\n") >= 40
    assert "MRR@10" in said["leaderboard"]


def type_(line, folder, environment):
    """Run the line unchanged, with yes to every question; returns its output."""
    typed = line.replace("./manage.py", f"{sys.executable} {BASE_DIR / 'manage.py'}")
    done = subprocess.run(
        ["/bin/sh", "-c", typed],
        cwd=folder,
        env=environment,
        input="a\n" * 500,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, (line, done.stdout[-2000:], done.stderr[-3000:])
    return done.stdout
