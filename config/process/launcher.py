"""Starts the parts of the product: its database, the embedded marketplace and the web process.

With the default settings, no other server is needed (docs/running-system.md, "Work in the background").
"""

import fcntl
import hashlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO
from urllib.parse import quote

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.module_loading import import_string

from config.errors import Refusal

logger = logging.getLogger(__name__)

#: Seconds after which a process that neither answers nor ends counts as stuck. It is long, because migrations and
#: imports are slow on a busy machine.
START_SECONDS = 300
#: Seconds after which a message tells the waiting person that the process is still starting.
SAY_SO_SECONDS = 15
#: Seconds between two checks whether the marketplace still runs.
WATCH_SECONDS = 2.0


class StartFailed(Refusal):
    """A process that the launcher started ended early, or did not answer in time."""


@contextmanager
def _lock_file(name: str) -> Iterator[IO[str]]:
    """Lock a file in the data directory while the block runs, so that two processes never run a set-up at once."""
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    with (settings.DATA_DIR / f"{name}.lock").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def ensure_database() -> None:
    """Create or migrate the database if it is missing or outdated. In production, raise Refusal instead."""
    if database_is_current():
        return
    if settings.PRODUCTION:
        raise Refusal("The database is not up to date with this version.", "Run: manage.py migrate")
    with _lock_file("migrate"):
        if not database_is_current():
            call_command("migrate", verbosity=0, interactive=False)


def database_is_current() -> bool:
    """Return whether all migrations of this version of Preferee were applied."""
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def crowd_is_embedded() -> bool:
    """Return whether the crowd is the marketplace that we start ourselves."""
    return settings.CROWD_ENDPOINT == settings.EMBEDDED_CROWD_ENDPOINT and not settings.PRODUCTION


def crowd_keys() -> tuple[str, str]:
    """Return (access key, secret key) for the crowd, from the environment or the marketplace's key file."""
    if settings.CROWD_ACCESS_KEY:
        return settings.CROWD_ACCESS_KEY, settings.CROWD_SECRET_KEY
    try:
        keys = json.loads(settings.CROWD_KEY_FILE.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        raise Refusal(
            f"No key is set for the crowd at {settings.CROWD_ENDPOINT}.",
            "Set PREFEREE_CROWD_ACCESS_KEY and PREFEREE_CROWD_SECRET_KEY, or PREFEREE_CROWD_KEY_FILE.",
        ) from None
    return keys["access_key"], keys["secret_key"]


def answers(url: str, *, timeout: float = 1.0) -> bool:
    """Return whether ``url`` answers with status 200."""
    try:
        with urllib.request.urlopen(url, timeout=timeout) as reply:  # noqa: S310 -- our own address
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError, ValueError):
        return False


def installation() -> str:
    """Return the public name of this installation, shared by all processes with the same ``SECRET_KEY``."""
    return _name_from(settings.SECRET_KEY)


@cache
def _name_from(secret: str) -> str:
    """Derive the name with a slow hash. The name is public (/healthz), and a fast hash would allow guessing keys."""
    salt, room = b"preferee installation", 2**26
    return hashlib.scrypt(secret.encode(), salt=salt, n=2**15, r=8, p=1, maxmem=room, dklen=6).hex()


def answered_by(health: str) -> str:
    """Return the name of the installation whose health check has this URL, or "" if the answer has no name."""
    try:
        with urllib.request.urlopen(health, timeout=2) as reply:  # noqa: S310 -- our own address
            return str(json.load(reply).get("installation", ""))
    except (urllib.error.URLError, OSError, ValueError, AttributeError):
        return ""


@contextmanager
def crowd_running() -> Iterator[None]:
    """Keep the embedded marketplace running while the block runs. If another crowd is configured, start nothing."""
    if not crowd_is_embedded():
        yield
        return
    if answers(f"{settings.CROWD_ENDPOINT}/healthz"):
        _require_our_marketplace()
        yield
        return
    with _lock_file("marketplace"):
        marketplace = None if answers(f"{settings.CROWD_ENDPOINT}/healthz") else _KeptMarketplace()
    try:
        yield
    finally:
        if marketplace:
            marketplace.stop()


class _KeptMarketplace:
    """The embedded marketplace's process, started again whenever it ends before :meth:`stop`."""

    def __init__(self) -> None:
        self.process = start_marketplace()
        self.stopping = threading.Event()
        self.watcher = threading.Thread(target=self._watch, name="marketplace", daemon=True)
        self.watcher.start()

    def _watch(self) -> None:
        while not self.stopping.wait(WATCH_SECONDS):
            # Another command may have started one meanwhile.
            if self.process.poll() is None or answers(f"{settings.CROWD_ENDPOINT}/healthz"):
                continue
            logger.warning("The marketplace ended. Starting it again.")
            try:
                self.process = start_marketplace()
            except (StartFailed, OSError) as failed:
                logger.error("%s", failed)

    def stop(self) -> None:
        self.stopping.set()
        stop(self.process)
        self.watcher.join()
        stop(self.process)  # if it was just started again


def _require_our_marketplace() -> None:
    """Raise Refusal if the marketplace that answers refuses our keys, as another installation's does."""
    try:
        import_string("judging.crowds.crowd_at")("mturk", settings.CROWD_ENDPOINT).balance()
    except Refusal as refusal:
        if getattr(refusal, "error_class", "") == "later":
            return  # the marketplace is only busy
        raise Refusal(
            f"The marketplace at {settings.CROWD_ENDPOINT} refuses this installation. {refusal.message}",
            "If it belongs to another installation, stop it or set MARKETPLACE_PORT to a free port.",
        ) from refusal


@contextmanager
def judging_pages_running() -> Iterator[None]:
    """Start a web process while the block runs, unless the public address already serves the judging pages.

    Simulated workers load the real pages over HTTP, so a command that simulates workers needs a web process.
    """
    health = f"{settings.PUBLIC_URL}/healthz"
    if answers(health):
        if answered_by(health) != installation():
            raise Refusal(
                f"Another server answers at {settings.PUBLIC_URL}, not this installation's pages.",
                "Stop it, or choose another address with PREFEREE_PUBLIC_URL.",
            )
        yield
        return
    process = _start_process("web", ["manage.py", "run", "--web-only", "--until-parent-exits"])
    try:
        wait_for(health, process, "web")
        yield
    finally:
        stop(process)


def start_marketplace() -> subprocess.Popen[bytes]:
    """Start the marketplace as a separate process and wait until it answers."""
    port = str(settings.MARKETPLACE_PORT)
    process = _start_process(
        "marketplace", ["-m", "marketplace", "serve", "--port", port, "--until-parent-exits"]
    )
    wait_for(f"{settings.CROWD_ENDPOINT}/healthz", process, "marketplace")
    return process


def _start_process(name: str, words: list[str]) -> subprocess.Popen[bytes]:
    """Start a Python process with these arguments, and write its stderr to the log file called ``name``."""
    with _open_log(name) as log:
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=settings.BASE_DIR,
            env=_environment(),
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )


def _environment() -> dict[str, str]:
    """Return the environment of a child process that uses this process's data folder, database and key file.

    The child process chooses its own settings module.
    """
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    environment["PREFEREE_DATA_DIR"] = str(settings.DATA_DIR)
    # Tests can change the database's name after the environment was read.
    environment["DATABASE_URL"] = database_url()
    environment.setdefault("MARKETPLACE_KEY_FILE", str(settings.CROWD_KEY_FILE))
    return environment


def database_url() -> str:
    """Return the URL of this process's database, for a process that it starts."""
    name = quote(str(connection.settings_dict["NAME"]))
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    # Password and options stay as they are in DATABASE_URL: only the database's name can have changed.
    address, mark, options = os.environ["DATABASE_URL"].partition("?")
    return f"{address.rpartition('/')[0]}/{name}{mark}{options}"


def _open_log(name: str) -> IO[bytes]:
    directory = settings.DATA_DIR / "logs"
    directory.mkdir(parents=True, exist_ok=True)
    return (directory / f"{name}.log").open("ab")


def wait_for(url: str, process: subprocess.Popen[bytes], name: str) -> None:
    """Wait until ``url`` answers. Raises StartFailed, with the end of the log, if the process ends or hangs."""
    log = Path(settings.DATA_DIR / "logs" / f"{name}.log")
    began = time.monotonic()
    said = False
    while not answers(url):
        waited = time.monotonic() - began
        if process.poll() is not None or waited > START_SECONDS:
            ended = process.poll() is not None
            how = "ended before it answered" if ended else f"did not answer for {START_SECONDS} seconds"
            stop(process)
            tail = log.read_text(errors="replace")[-1500:] if log.exists() else ""
            raise StartFailed(f"The {name} process {how}:\n{tail}", f"See {log}.")
        if waited > SAY_SO_SECONDS and not said:
            said = True
            logger.warning("The %s process is still starting. Its log: %s", name, log)
        time.sleep(0.1)


def stop(process: subprocess.Popen[bytes], *, seconds: float = 10) -> None:
    """Ask the process to stop, and kill it if it still runs after ``seconds``."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
