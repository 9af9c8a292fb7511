"""A backup made in the middle of a campaign and restored elsewhere: nothing is missing, and work continues."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from config.process import launcher
from judging import crowds
from judging.models import Choice, CrowdIdentity, Judgment
from judging.people import rights
from tests.judging.cast import Fair
from tests.judging.fake_crowd import FakeCrowd

ROOT = Path(__file__).resolve().parents[2]
#: Every row of each of our tables, and the published qrels.
LOOK = """
import hashlib, json, sys
import django
django.setup()
from django.apps import apps
tables = {}
for model in apps.get_models():
    rows = [list(map(str, row)) for row in model.objects.order_by("pk").values_list()]
    if rows:
        tables[model._meta.label] = rows
print(json.dumps(tables))
"""
#: One file of each kind outside the database, some of the marketplace's in a separate folder.
FILES = {
    "runs/1/a-run.parquet": "ranks",
    "runs/releases/fair/version-1.zip": "a bundle",
    "files/sent.tsv": "a file that was sent",
    "sources/passages.tsv": "passages",
    "secret-key": "the key of all links",
    "marketplace-key.json": "the key of a requester, as Preferee has it",
    "marketplace/marketplace-secret-key": "the key of the marketplace's links",
    "marketplace/marketplace-key.json": "the key of a requester, as it was made",
}
GO_ON = """
import django
django.setup()
from judging.models import Campaign
from judging.page import session as working
from judging.tasks.leases import lease_task
from judging.workers.identities import worker_for
submission = lease_task(Campaign.objects.get(), worker_for("fake:here", "A9"), assignment_id="later", place=None)
working.give_consent(submission)
print(submission.task.number, submission.slots.count())
"""

pytestmark = [
    pytest.mark.journey,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        os.environ.get("PREFEREE_TEST_ON") != "sqlite" and not shutil.which("pg_dump"),
        reason="pg_dump is not here",
    ),
]


@pytest.fixture
def campaign(monkeypatch, transactional_db, data_dir):
    """A running campaign: one task collected, one submitted, one with a choice; its current state is published."""
    panel = FakeCrowd()
    monkeypatch.setitem(crowds.FACTORIES, "fake", lambda endpoint: panel)
    fair = Fair(panel)
    made = fair.opened()
    fair.do_task(made, "A1")
    fair.collect(made)
    fair.do_task(made, "A2")
    fair.answer(fair.open_task(made, "A3"), only=1)
    call_command("resolve", made.name, "--json")
    call_command("publish_qrels", made.name, "--allow-open", "--json")
    for name, content in FILES.items():
        (data_dir / name).parent.mkdir(parents=True, exist_ok=True)
        (data_dir / name).write_text(content)
    return made


@pytest.fixture
def here(data_dir):
    """The environment of this installation for its scripts."""
    return environment(data_dir, launcher.database_url())


@pytest.fixture
def elsewhere(tmp_path_factory):
    """The environment of another installation with an empty database."""
    folder = tmp_path_factory.mktemp("elsewhere")
    if connection.vendor == "sqlite":
        yield environment(folder, f"sqlite:///{folder}/preferee.sqlite3")
        return
    name = f"{connection.settings_dict['NAME']}_back"
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        cursor.execute(f'CREATE DATABASE "{name}"')
    yield environment(folder, f"{launcher.database_url().rpartition('/')[0]}/{name}")
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def environment(folder: Path, database: str) -> dict[str, str]:
    return {
        **os.environ,
        "PREFEREE_DATA_DIR": str(folder),
        "MARKETPLACE_DATA_DIR": str(folder / "marketplace"),
        "DATABASE_URL": database,
        "MARKETPLACE_DATABASE_URL": f"sqlite:///{folder}/no-marketplace-here.sqlite3",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


def run(environment, *command, code=0) -> str:
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.mark.soak
def test_a_backup_of_a_running_campaign_is_restored_completely_and_work_continues(
    campaign, here, elsewhere, tmp_path
):
    backup = run(here, "deploy/backup.sh", str(tmp_path / "backups")).strip()

    run(elsewhere, "deploy/restore.sh", backup)

    before, after = (json.loads(run(where, sys.executable, "-c", LOOK)) for where in (here, elsewhere))
    assert len(before["judging.Judgment"]) == Judgment.objects.count() > 0
    assert len(before["judging.Choice"]) == Choice.objects.count() > len(before["judging.Judgment"])
    assert after == before
    qrels = []
    for name, where in (("here", here), ("elsewhere", elsewhere)):
        file = tmp_path / f"{name}.qrels"
        run(where, sys.executable, "manage.py", "export_qrels", "fair-collection", "--out", str(file))
        qrels.append(file.read_bytes())
    assert qrels[0] == qrels[1] != b""
    files = Path(elsewhere["PREFEREE_DATA_DIR"])
    assert {name: (files / name).read_text() for name in FILES} == FILES
    assert [path for path in (Path(backup), *Path(backup).iterdir()) if path.stat().st_mode & 0o077] == []
    assert run(elsewhere, sys.executable, "-c", GO_ON).split() == ["4", "5"]
    # Existing data is not overwritten.
    assert "already" in run(here, "deploy/restore.sh", backup, code=1)
    assert Judgment.objects.exists()


@pytest.mark.soak
def test_people_forgotten_since_the_backup_are_forgotten_again_after_the_restore(
    campaign, here, elsewhere, tmp_path
):
    backup = run(here, "deploy/backup.sh", str(tmp_path / "backups")).strip()
    worker = CrowdIdentity.objects.get(crowd_worker_id="A1").worker
    rights.forget_worker(worker)
    shutil.copytree(backup, tmp_path / "backups" / "of-before")
    shutil.rmtree(backup)
    run(here, "deploy/backup.sh", str(tmp_path / "backups"))  # includes the list

    run(elsewhere, "deploy/restore.sh", str(tmp_path / "backups" / "of-before"))
    assert "A1" in run(elsewhere, sys.executable, "-c", LOOK)
    done = json.loads(run(elsewhere, sys.executable, "manage.py", "reapply_rights", "--json"))

    assert (done["applied"], done["refused"]) == (1, [])
    left = json.loads(run(elsewhere, sys.executable, "-c", LOOK))["judging.CrowdIdentity"]
    assert not [row for row in left if "A1" in row]


def test_only_old_backups_are_deleted(campaign, here, tmp_path):
    folder = tmp_path / "backups"
    for name in ("20200101T000000Z", "20200101T000000Z.part", "letters"):
        (folder / name).mkdir(parents=True)

    kept = run(here, "deploy/backup.sh", str(folder)).strip()
    assert (folder / "20200101T000000Z").exists()
    shutil.move(kept, folder / "30000101T000000Z")

    made = run(here | {"PREFEREE_KEEP_BACKUPS_DAYS": "30"}, "deploy/backup.sh", str(folder)).strip()

    names = {path.name for path in folder.iterdir()}
    assert names == {Path(made).name, "30000101T000000Z", "20200101T000000Z.part", "letters"}


def test_a_damaged_backup_is_refused(campaign, here, elsewhere, tmp_path):
    backup = Path(run(here, "deploy/backup.sh", str(tmp_path / "backups")).strip())
    (backup / "files.tar.gz").write_bytes(b"damaged")

    assert "files.tar.gz" in run(elsewhere, "deploy/restore.sh", str(backup), code=1)


def test_an_unfinished_backup_leaves_no_folder_that_looks_whole(here, tmp_path):
    broken = here | {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing"}

    run(broken, "deploy/backup.sh", str(tmp_path / "backups"), code=1)

    assert list((tmp_path / "backups").iterdir()) == []
