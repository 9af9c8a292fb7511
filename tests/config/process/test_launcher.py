"""Starting the product's parts as separate processes, on a separate SQLite file in every stage."""

import json
import os
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
import urllib.request
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import environ
import pytest

from config.errors import Refusal
from config.process import launcher
from tests.provision import free_port
from tests.waiting import PATIENCE_SECONDS, wait_until

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.xdist_group("launcher")  # one installation, created once


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """The data of an installation that was set up and run once, which takes several seconds."""
    folder = tmp_path_factory.mktemp("prepared") / "var"
    done = run_manage(environment_of(folder), "setup", "--json")
    assert done.returncode == 0, done.stderr
    assert Path(json.loads(done.stdout)["data directory"], "preferee.sqlite3").exists()
    with run(environment_of(folder)) as process:
        assert process.poll() is None, process.stderr.read()
    return folder


@pytest.fixture
def embedded(prepared, tmp_path):
    """The environment of a separate installation without other servers."""
    shutil.copytree(prepared, tmp_path / "var")
    return environment_of(tmp_path / "var")


def environment_of(folder):
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    environment |= {
        "PREFEREE_DATA_DIR": str(folder),
        "PREFEREE_PUBLIC_URL": f"http://127.0.0.1:{free_port()}",
        "MARKETPLACE_PORT": str(free_port()),
        "PREFEREE_JOB_SWEEP_SECONDS": "0.5",
    }
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    return environment


def run_manage(environment, *words, **options):
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, **options
    )


@contextmanager
def run(environment):
    """`manage.py run`, answering; stopped at the end."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "run"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    wait_until(
        lambda: process.poll() is not None or launcher.answers(f"{environment['PREFEREE_PUBLIC_URL']}/readyz")
    )
    yield process
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_SECONDS)


@pytest.fixture
def running(embedded):
    with run(embedded) as process:
        yield process


@pytest.mark.soak
def test_a_command_creates_the_database_it_needs(prepared):
    """Only check the fixture's result, because creating a database takes seconds."""
    with closing(sqlite3.connect(prepared / "preferee.sqlite3")) as database:
        tables = {name for (name,) in database.execute("select name from sqlite_master")}

    assert "judging_campaign" in tables


@pytest.mark.soak
@pytest.mark.one_database
def test_other_accounts_cannot_read_our_files(prepared):
    written = [prepared, *prepared.rglob("*")]

    assert {"preferee.sqlite3", "marketplace.sqlite3", "logs"} <= {path.name for path in written}
    assert [path for path in written if path.stat().st_mode & 0o077] == []


@pytest.mark.parametrize(
    "written",
    [
        "postgres://me:p%40ss%2Fw%3Ard%2B@127.0.0.1:5432/{}?sslmode=require&CONN_MAX_AGE=7",
        "postgresql://me@[::1]/{}",
        "postgres:////var/run/postgresql/{}",
    ],
)
def test_started_processes_get_the_same_database_with_password_and_options(monkeypatch, written):
    read = environ.Env.db_url_config(written.format("named"))
    monkeypatch.setenv("DATABASE_URL", written.format("renamed%20since"))
    monkeypatch.setattr(launcher, "connection", SimpleNamespace(settings_dict=read, vendor="postgresql"))

    assert environ.Env.db_url_config(launcher.database_url()) == read


def test_the_public_name_is_derived_slowly_from_the_key(settings):
    settings.SECRET_KEY = "a key"
    name = launcher.installation()

    assert re.fullmatch("[0-9a-f]{12}", name)
    assert launcher.installation() == name
    started = time.process_time()
    settings.SECRET_KEY = "another key"
    assert launcher.installation() != name
    assert time.process_time() - started > 0.005  # thousands of times as long as one fast hash


@pytest.mark.one_database
def test_a_requested_file_has_the_shells_default_permissions(tmp_path):
    words = (
        "from django.conf import settings; settings.DEBUG; from config.commands.console import write_result;"
        f"from pathlib import Path; write_result(Path('{tmp_path}/asked'), b'-')"
    )
    given = environment_of(tmp_path / "var") | {"DJANGO_SETTINGS_MODULE": "config.settings"}

    subprocess.run([sys.executable, "-c", words], cwd=ROOT, env=given, check=True, umask=0o027)

    assert stat.S_IMODE((tmp_path / "asked").stat().st_mode) == 0o640


@pytest.mark.soak
def test_a_refused_command_exits_with_1_and_says_what_to_do(embedded):
    done = run_manage(embedded, "campaign_status", "nowhere")

    assert (done.returncode, done.stdout) == (1, "")
    assert "There is no campaign called 'nowhere'." in done.stderr


@pytest.mark.soak
def test_wrong_usage_exits_with_2(embedded):
    assert run_manage(embedded, "campaign_status").returncode == 2
    assert run_manage(embedded, "nosuch").returncode == 2
    assert run_manage(embedded, "help").returncode == 0


@pytest.mark.soak
@pytest.mark.journey
@pytest.mark.one_database
def test_run_serves_pages_does_the_jobs_of_other_processes_and_stops_with_its_marketplace(embedded, running):
    insert = (
        "from config.background import services; services.ring = lambda job: None;"
        "print(services.start('judging.collect_open_campaigns', key='by another process').pk)"
    )
    started = run_manage(embedded, "shell", "-v", "0", "-c", insert)
    job = int(started.stdout.split()[-1])
    database = sqlite3.connect(
        Path(embedded["PREFEREE_DATA_DIR"], "preferee.sqlite3"), timeout=PATIENCE_SECONDS
    )

    def state():
        return database.execute("select state, result from background_job where id = ?", [job]).fetchone()

    wait_until(lambda: state()[0] == "done")

    with urllib.request.urlopen(embedded["PREFEREE_PUBLIC_URL"]) as page:
        assert b"Preferee" in page.read()
    assert json.loads(state()[1]) == {"campaigns": 0}
    marketplace = f"http://127.0.0.1:{embedded['MARKETPLACE_PORT']}/healthz"
    answered = launcher.answers(marketplace)

    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=PATIENCE_SECONDS)[1].decode()

    assert answered
    assert (
        f"{embedded['PREFEREE_PUBLIC_URL']}/accounts/invitations/" in said
    )  # creates the first administrator
    assert running.returncode == 0
    assert not launcher.answers(marketplace)


@pytest.mark.soak
@pytest.mark.journey
@pytest.mark.one_database
def test_a_killed_run_leaves_no_marketplace_behind(embedded, running):
    marketplace = f"http://127.0.0.1:{embedded['MARKETPLACE_PORT']}/healthz"
    assert launcher.answers(marketplace)

    running.kill()
    running.wait(PATIENCE_SECONDS)

    wait_until(lambda: not launcher.answers(marketplace))


def test_a_killed_marketplace_is_started_again_until_the_product_stops(monkeypatch):
    processes = []

    def start():
        processes.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]))
        return processes[-1]

    monkeypatch.setattr(launcher, "crowd_is_embedded", lambda: True)
    monkeypatch.setattr(launcher, "answers", lambda url: False)
    monkeypatch.setattr(launcher, "start_marketplace", start)
    monkeypatch.setattr(launcher, "WATCH_SECONDS", 0.05)

    with launcher.crowd_running():
        processes[0].kill()
        wait_until(lambda: len(processes) == 2)
        assert processes[1].poll() is None

    assert [process.returncode for process in processes] == [-signal.SIGKILL, -signal.SIGTERM]
    assert len(processes) == 2


@pytest.mark.soak
@pytest.mark.one_database
def test_another_installations_marketplace_is_not_used(embedded, running, prepared, tmp_path):
    shutil.copytree(prepared, other := tmp_path / "other")
    environment = environment_of(other) | {"MARKETPLACE_PORT": embedded["MARKETPLACE_PORT"]}
    (key_file,) = other.rglob("*key*.json")
    key_file.write_text(json.dumps({"access_key": "AKIAOTHER", "secret_key": "another"}))

    done = run_manage(environment, "run")

    assert done.returncode == 1
    assert "refuses this installation" in done.stderr
    assert "MARKETPLACE_PORT" in done.stderr


def test_another_installations_pages_are_not_used(settings, monkeypatch):
    monkeypatch.setattr(launcher, "answers", lambda url: True)
    monkeypatch.setattr(launcher, "answered_by", lambda url: "another")

    with pytest.raises(Refusal, match="not this installation's pages"), launcher.judging_pages_running():
        pass


def test_a_missing_key_says_where_to_set_it(settings, tmp_path):
    settings.CROWD_ACCESS_KEY = ""
    settings.CROWD_KEY_FILE = tmp_path / "none.json"

    with pytest.raises(Refusal, match="PREFEREE_CROWD_ACCESS_KEY"):
        launcher.crowd_keys()


def test_the_key_file_of_the_marketplace_is_read(settings, tmp_path):
    settings.CROWD_ACCESS_KEY = ""
    settings.CROWD_KEY_FILE = tmp_path / "key.json"
    settings.CROWD_KEY_FILE.write_text('{"access_key": "AK", "secret_key": "S"}')

    assert launcher.crowd_keys() == ("AK", "S")


@pytest.mark.soak
def test_several_processes_only_serve_pages(embedded):
    refused = run_manage(embedded, "run", "--processes", "2")

    assert refused.returncode == 1
    assert "--web-only" in refused.stderr


def test_a_closed_pipe_is_not_an_error():
    pipe = subprocess.Popen(
        [sys.executable, "manage.py", "help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    pipe.stdout.close()

    assert pipe.stderr.read() == ""
    pipe.stderr.close()
    assert pipe.wait(60) == 141
