"""The commands of the README, run in order on the sample, under the file names in the README."""

import gzip
import re
import shutil
import subprocess
import sys

import pytest

from config.settings import BASE_DIR
from tests.journeys.installation import running
from tests.waiting import PATIENCE_SECONDS

SAMPLE = BASE_DIR / "docs" / "sample"
#: After this command, simulated workers judge.
JUDGED = "./manage.py simulate_workers spring --workers 25 --truth official --seed 1"

pytestmark = [pytest.mark.journey, pytest.mark.soak]


def commands() -> list[str]:
    lines = re.findall(r"^\./manage\.py .*$", (BASE_DIR / "README.md").read_text(), re.MULTILINE)
    return [line.partition("#")[0].strip() for line in lines]


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
