"""A crowd behind a fault proxy, and worker processes of the product that can be killed at any moment."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import pytest
import redis
from botocore.config import Config
from django.conf import settings as product

from config.process import launcher
from tests.chaos.fault_proxy import FaultProxy, Faults
from tests.chaos.twice import COUNT, PREFIX
from tests.contract.test_mturk import start_marketplace

ROOT = Path(__file__).resolve().parents[2]
#: Of the roughly 1,500 requests of a bad day.
REQUESTS_BETWEEN_KILLS = 120
BAD_DAY = Faults(
    lost_reply=0.10, failed_before=0.05, throttled=0.01, stale_listing=0.15, repeated_rows=0.10, slow=0.05
)


class Crowd:
    """A marketplace process that can be restarted with its clock moved, and its requester's own client."""

    def __init__(self, folder: Path, *, hours_on: int = 0) -> None:
        self.folder = folder
        offset = {"MARKETPLACE_CLOCK_OFFSET": str(hours_on * 3600)}
        self.process, port = start_marketplace(folder, "--until-parent-exits", **offset)
        self.key: dict[str, str] = json.loads((folder / "marketplace-key.json").read_text())
        self.url = f"http://127.0.0.1:{port}"
        self.client = boto3.client(
            "mturk",
            region_name="us-east-1",
            endpoint_url=self.url,
            aws_access_key_id=self.key["access_key"],
            aws_secret_access_key=self.key["secret_key"],
            config=Config(retries={"total_max_attempts": 1}),
        )

    def listed(self, operation: str, rows: str, **request: Any) -> list[dict[str, Any]]:
        """Return every row of a listing."""
        pages = self.client.get_paginator(operation).paginate(**request)
        return [row for page in pages for row in page[rows]]

    def close(self) -> None:
        """End the process."""
        self.client.close()
        launcher.stop(self.process)


@pytest.fixture
def crowd(tmp_path_factory):
    """A marketplace on a free port."""
    crowd = Crowd(tmp_path_factory.mktemp("crowd"))
    yield crowd
    crowd.close()


@pytest.fixture
def proxy(crowd):
    """The proxy that the product takes for the crowd."""
    proxy = FaultProxy(crowd.url, faults=BAD_DAY, seed=20)
    yield proxy
    proxy.close()


@pytest.fixture
def site(live_server, crowd, proxy, settings):
    """The product's pages over HTTP, set to the crowd behind the proxy."""
    settings.PUBLIC_URL = live_server.url
    settings.CROWD_ENDPOINT = settings.EMBEDDED_CROWD_ENDPOINT = proxy.url
    settings.CROWD_HOSTS = [crowd.url]
    settings.CROWD_ACCESS_KEY, settings.CROWD_SECRET_KEY = crowd.key["access_key"], crowd.key["secret_key"]
    return live_server.url


class Workers:
    """Celery workers in separate processes; now and then one is killed and another started.

    ``done`` counts their requests to the crowd, so that some work happens between two kills on any machine.
    """

    def __init__(
        self, folder: Path, environment: dict[str, str], *, done: Callable[[], int], count: int, seed: int
    ) -> None:
        self.folder, self.environment, self.done = folder, environment, done
        self.kills = 0
        self._random = random.Random(seed)
        self._over = threading.Event()
        self._started = 0
        self.processes = [self._start() for _ in range(count)]
        self._killer = threading.Thread(target=self._kill_now_and_then, daemon=True)

    def _start(self) -> subprocess.Popen[bytes]:
        self._started += 1
        words = ["-m", "celery", "-A", "tests.chaos.twice", "worker", "-B"]
        words += ["--concurrency", "2", "--loglevel", "ERROR"]
        words += ["--schedule", str(self.folder / f"beat-{self._started}")]
        with (self.folder / "workers.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, *words],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def begin_killing(self) -> None:
        """Start killing processes."""
        self._killer.start()

    def _kill_now_and_then(self) -> None:
        # A process that is just starting has nothing to lose yet, so let it begin its work first.
        before = 0
        while not self._over.wait(self._random.uniform(15, 25)):
            if self.done() < before + REQUESTS_BETWEEN_KILLS:
                continue
            before = self.done()
            victim = self._random.randrange(len(self.processes))
            kill(self.processes[victim])
            self.kills += 1
            self.processes[victim] = self._start()

    @property
    def came_again(self) -> int:
        """Return how many messages were processed a second time."""
        return (self.folder / COUNT).stat().st_size

    def stop(self) -> None:
        """Stop killing, and end all processes."""
        self._over.set()
        if self._killer.is_alive():
            self._killer.join()
        for process in self.processes:
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Send SIGKILL to the process and its children."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def workers(site, crowd, proxy, tmp_path):
    """Two worker processes that share the test's database and a broker on a real Redis."""
    # Use a separate name, because any database of that Redis may be somebody else's broker.
    prefix = f"chaos-{uuid.uuid4().hex}:"
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PREFEREE_")},
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": launcher.database_url(),
        "CELERY_BROKER_URL": os.environ["REDIS_URL"],
        PREFIX: prefix,
        "SECRET_KEY": product.SECRET_KEY,
        "PREFEREE_DATA_DIR": str(tmp_path),
        "PREFEREE_PUBLIC_URL": site,
        "PREFEREE_CROWD_ENDPOINT": proxy.url,
        "MARKETPLACE_PORT": proxy.url.rpartition(":")[2],
        "PREFEREE_CROWD_ACCESS_KEY": crowd.key["access_key"],
        "PREFEREE_CROWD_SECRET_KEY": crowd.key["secret_key"],
        "PREFEREE_CROWD_CALLS_PER_SECOND": "60",
        "PREFEREE_JOB_SWEEP_SECONDS": "1",
        "PREFEREE_JOB_LEASE_SECONDS": "3",
        "PREFEREE_COLLECT_SECONDS": "2",
    }
    workers = Workers(tmp_path, environment, done=lambda: proxy.seen.requests.total(), count=2, seed=7)
    yield workers
    workers.stop()
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as broker:
        ours = list(broker.scan_iter(f"{prefix}*"))
        assert ours, "the workers' broker was another one"
        broker.delete(*ours)
