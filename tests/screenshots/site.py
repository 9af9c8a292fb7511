"""A product and a marketplace for pictures, in a separate folder."""

import json
import os
import random
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.provision import free_port

ROOT = Path(__file__).resolve().parents[2]


class Site:
    """A product and a marketplace, in a separate folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"http://127.0.0.1:{free_port()}"
        self.crowd = f"http://127.0.0.1:{(crowd_port := free_port())}"
        self.environment = {
            **os.environ,
            "PREFEREE_DATA_DIR": str(folder),
            "MARKETPLACE_PORT": str(crowd_port),
            "PREFEREE_WEBHOOK_PRIVATE_ADDRESSES": "yes",  # nothing leaves this machine
        }
        self.environment["PREFEREE_PUBLIC_URL"] = self.address
        for name in ("DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE"):
            self.environment.pop(name, None)

    def typed(self, *words: object) -> dict:
        """Return a command's ``--json`` result."""
        command = [sys.executable, "manage.py", *map(str, words), "--json"]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run everything during the block."""
        process = subprocess.Popen([sys.executable, "manage.py", "run"], cwd=ROOT, env=self.environment)
        try:
            for address in (self.address, self.crowd):
                _wait_for(f"{address}/healthz")
            yield
        finally:
            process.terminate()
            process.wait(timeout=30)

    def campaign(self, texts: Path | None) -> None:
        """Launch a campaign for people, over the demo's pool, or over ``texts`` with random runs."""
        pool = "sample-tops"
        if texts:
            runs = made_up_runs(texts / "qrels.txt", self.folder)
            files = ("--queries", texts / "queries.tsv", "--passages", texts / "passages.tsv")
            self.typed("import_collection", "texts", *files, "--qrels", texts / "qrels.txt")
            self.typed("import_runs", "texts", *runs, "--release", "public")
            self.typed(
                "build_pool", "texts", "--pool", pool := "texts-tops", "--all-runs", "--qrels", "official"
            )
        self.launched("people", pool, "--allow-undecided")
        # All other options that change the page.
        asks = ("--minimum-seconds", 2, "--mark-query-words", "--minimum-age", 18)
        asks += ("--base-reward", "0.30")
        told = (
            "--content-warning",
            "Some passages speak of illness and accidents.",
            "--contact",
            "ada@lab.example",
        )
        self.launched("careful", pool, *asks, *told, "--ethics-approval", "Board of Ethics, number 17/2026")
        self._leaves_little_time("careful")

    def launched(self, name: str, pool: str, *settings: object) -> None:
        """Launch a campaign for people over the pool."""
        self.typed("create_campaign", name, "--pool", pool, "--budget", 400, *settings)
        # The demo's pool has one label per query, which is too few for gold pairs that look like real ones.
        graded = ("--qrels", "truth") if pool == "sample-tops" else ()
        self.typed("propose_gold", name, *graded)
        self.typed("accept_gold", name, "--all")
        self.typed("set_texts", name, "--accept")
        self.typed("launch_campaign", name)

    def _leaves_little_time(self, name: str) -> None:
        """Make its tasks end five minutes after they are opened; a launch refuses such a short limit."""
        change = (
            "from judging.models import Campaign; "
            f"Campaign.objects.filter(name={name!r}).update(assignment_seconds=300)"
        )
        command = [sys.executable, "manage.py", "shell", "-c", change]
        subprocess.run(command, cwd=ROOT, env=self.environment, check=True)


def made_up_runs(qrels: Path, folder: Path) -> list[Path]:
    """Return five runs that rank the labeled passages at random, with better ones more likely on top."""
    labeled: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for line in qrels.read_text().splitlines():
        qid, _, pid, grade = line.split()
        labeled[qid].append((pid, int(grade)))
    paths = []
    for number in range(1, 6):
        lot = random.Random(number)
        lines = []
        for qid, rows in labeled.items():
            ranked = sorted(rows, key=lambda row: row[1] + lot.gauss(0, 1.5), reverse=True)
            lines += [
                f"{qid} Q0 {pid} {rank} {100 - rank} lot{number}\n" for rank, (pid, _) in enumerate(ranked, 1)
            ]
        paths.append(folder / f"lot{number}.txt")
        paths[-1].write_text("".join(lines))
    return paths


def _wait_for(address: str) -> None:
    for _ in range(6000):  # a busy machine is slow
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise SystemExit(f"{address} does not answer.")
