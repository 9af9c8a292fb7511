"""An upgrade in the middle of a campaign that an older version started."""

import json
import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from config.settings import BASE_DIR
from tests.journeys.test_demo import environment_of_a_newcomer
from tests.waiting import PATIENCE_SECONDS

#: The data of an embedded installation whose processes were all killed (SIGKILL) while simulated workers judged the
#: campaign *third*: 20 tasks submitted, 24 taken, nothing paid. *first* is published as version 1.
LEFT = Path(__file__).with_name("upgrade") / "campaign-in-its-middle.tar.xz"
#: Its former addresses, and the columns that contain them.
ADDRESSES = {
    "preferee": [
        ("judging_campaign", "endpoint"),
        ("judging_crowdidentity", "crowd"),
        ("judging_blocklist", "crowd"),
    ],
    "marketplace": [("marketplace_hit", "question"), ("marketplace_hit", "external_url")],
}
PAGES, MARKETPLACE = "127.0.0.1:18410", "127.0.0.1:18411"

pytestmark = [pytest.mark.journey, pytest.mark.soak]


@pytest.fixture
def environment(tmp_path):
    """The environment of the installation, moved to addresses that are free here."""
    found = environment_of_a_newcomer(tmp_path / "var") | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    with tarfile.open(LEFT) as archive:
        archive.extractall(tmp_path, filter="data")
    pages = found["PREFEREE_PUBLIC_URL"].removeprefix("http://")
    for name, columns in ADDRESSES.items():
        with closing(sqlite3.connect(tmp_path / "var" / f"{name}.sqlite3")) as database:
            for table, column in columns:
                database.execute(
                    f"UPDATE {table} SET {column} = replace(replace({column}, ?, ?), ?, ?)",
                    (PAGES, pages, MARKETPLACE, f"127.0.0.1:{found['MARKETPLACE_PORT']}"),
                )
            database.commit()
    return found


def manage(environment, *words):
    done = subprocess.run(
        [sys.executable, "manage.py", *words, "--json"],
        cwd=BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_running_campaign_continues_after_an_upgrade(environment, tmp_path):
    def published():
        manage(environment, "export_qrels", "up", "--version", "1", "--out", str(tmp_path / "qrels"))
        return (tmp_path / "qrels").read_bytes()

    before, qrels = manage(environment, "campaign_status", "third"), published()
    assert (before["submissions"]["counted"], before["submissions"]["pending"]) == (18, 24)
    assert not before["complete"]

    words = "--workers 20 --truth truth --error 0.1 --gold-error 0 --seed 6"
    manage(environment, "simulate_workers", "third", *words.split())

    after = manage(environment, "campaign_status", "third")
    assert after["complete"]
    assert after["judgments"]["counted"] == after["judgments"]["wanted"] == before["judgments"]["wanted"]
    # Every submitted task is paid once, including those of excluded workers.
    sent_off = sum(after["submissions"].values())
    ledger = manage(environment, "ledger", "third")
    assert [row["payments"] for row in ledger["rows"]] == [sent_off, sent_off]
    assert [row["amount"] for row in ledger["rows"]] == [round(1.8 * sent_off, 2), round(0.2 * sent_off, 2)]
    assert ledger["spent"] == round(2.4 * sent_off, 2)
    differences = manage(environment, "reconcile", "third")
    assert [differences[what] for what in ("only_there", "only_here", "different")] == [0, 0, 0]
    assert published() == qrels
    assert manage(environment, "publish_qrels", "third")["version"] == 2
