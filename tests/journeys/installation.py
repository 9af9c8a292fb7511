"""A separate installation: product, marketplace and jobs as real processes, with campaigns for people."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import urllib3

from config.process import launcher
from config.settings import BASE_DIR
from judging.simulation.browser import Browser, Taken, TaskPage, parse_page
from tests.journeys.test_demo import environment_of_a_newcomer
from tests.waiting import wait_until

SEED = """
import sys, django
django.setup()
from collections import Counter
from django.core.management import call_command
from judging.models import Campaign
from judging.launch.launches import launch_campaign
from judging.intake.places import post_places
from pooling.models import Collection, Passage, Pool, PooledPassage, Qrel

names, sample = sys.argv[2:], sys.argv[1]
files = ("--queries", sample + "/queries.tsv", "--passages", sample + "/passages.tsv")
call_command("import_collection", "meadow", *files, "--all-passages")
call_command("import_qrels", "meadow", sample + "/grades.txt", "--set", "labels")
collection = Collection.objects.get(name="meadow")
labels = collection.qrel_sets.get(name="labels")
pool = Pool.objects.create(collection=collection, name="tops", qrel_set=labels)
labeled = Counter(Qrel.objects.filter(qrel_set=labels).values_list("query_id", flat=True))
for query in [query for query, count in sorted(labeled.items()) if count >= 5][:2]:
    for passage in Passage.objects.filter(pk__in=Qrel.objects.filter(query=query).values("passage"))[:5]:
        PooledPassage.objects.create(pool=pool, query_id=query, passage=passage, is_qrel=True)
for name in names:
    call_command("create_campaign", name, "--pool", "tops", "--max-tasks-per-worker", "2", "--seed", "7")
    call_command("propose_gold", name)
    call_command("accept_gold", name, "--all")
    call_command("set_texts", name, "--accept")
    campaign = Campaign.objects.get(name=name)
    launch_campaign(campaign, accept_weak_screening=True)
    post_places(campaign)
"""


class Installation:
    """An installation's addresses and databases."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder, self.environment = folder, environment
        self.pages = environment["PREFEREE_PUBLIC_URL"]
        self.marketplace = f"http://127.0.0.1:{environment['MARKETPLACE_PORT']}"

    def asked(self, sql: str, *values: object, of: str = "preferee") -> list[tuple[Any, ...]]:
        """Return the current rows of a query to one of the databases."""
        with closing(sqlite3.connect(f"file:{self.folder / of}.sqlite3?mode=ro", uri=True)) as database:
            return database.execute(sql, values).fetchall()

    def rows(self, *tables: str) -> list[int]:
        """Return the number of rows in each of the product's tables."""
        return [self.asked(f"SELECT count(*) FROM judging_{table}")[0][0] for table in tables]

    def group_of(self, campaign: str) -> str:
        """Return the marketplace's group under which the campaign's tasks are offered."""
        [(group,)] = self.asked(
            "SELECT crowd_key FROM judging_posting JOIN judging_campaign ON judging_campaign.id = campaign_id "
            "WHERE name = ?",
            campaign,
        )
        return str(group)

    def earned(self, worker_id: str) -> int:
        """Return the cents that the marketplace has paid a worker."""
        found = self.asked(
            "SELECT earned_cents FROM marketplace_worker WHERE worker_id = ?", worker_id, of="marketplace"
        )
        return int(found[0][0])

    def minutes_pass(self, minutes: int) -> None:
        """Move the opening of all tasks back, because a bonus is held if there was no time to read."""
        with closing(sqlite3.connect(self.folder / "preferee.sqlite3", timeout=60)) as database, database:
            database.execute(
                "UPDATE judging_submission SET opened_at = strftime('%Y-%m-%d %H:%M:%f', opened_at, ?)",
                (f"-{minutes} minutes",),
            )

    def until(self, so: Callable[[], bool]) -> None:
        """Wait until the condition is true."""
        wait_until(so, lambda: (self.folder / "log").read_text()[-3000:], every_seconds=0.5)


@contextmanager
def running(folder: Path, **settings: str) -> Iterator[dict[str, str]]:
    """Start everything that `manage.py run` starts, in a new folder; yields the environment for commands."""
    environment = environment_of_a_newcomer(folder) | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "MARKETPLACE_ARGON2_MEMORY_KIB": "8",
        "MARKETPLACE_ARGON2_TIME_COST": "1",
        "MARKETPLACE_ARGON2_PARALLELISM": "1",
        **settings,
    }
    folder.mkdir(parents=True)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "run"],
            cwd=BASE_DIR,
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        launcher.wait_for(f"{environment['PREFEREE_PUBLIC_URL']}/healthz", process, "web")
        yield environment
    finally:
        launcher.stop(process, seconds=30)


@contextmanager
def installed(folder: Path, *campaigns: str) -> Iterator[Installation]:
    """Start an installation with these campaigns launched: two tasks each, 10 pairs and 3 gold pairs, for $2.00."""
    often = {"PREFEREE_COLLECT_SECONDS": "2", "PREFEREE_JOB_SWEEP_SECONDS": "1"}
    with running(folder, **often) as environment:
        seed = [sys.executable, "-c", SEED, str(BASE_DIR / "docs" / "sample"), *campaigns]
        seeded = subprocess.run(seed, cwd=BASE_DIR, env=environment, capture_output=True, text=True)
        assert seeded.returncode == 0, seeded.stderr[-3000:]
        yield Installation(folder, environment)


class Person:
    """A person with an account at the marketplace."""

    def __init__(self, at: Installation, name: str) -> None:
        self.at, self.browser = at, Browser(at.marketplace)
        self.worker_id = self.browser.sign_up(name, "a horse reads passages")

    def take(self, campaign: str) -> Taken:
        taken = self.browser.take(self.at.group_of(campaign))
        assert taken is not None
        return taken

    def open(self, taken: Taken) -> TaskPage:
        page = self.browser.open_task(taken.frame_address)
        assert not page.refusal, page.refusal
        return page

    def judge(self, page: TaskPage, *, only: int | None = None) -> None:
        for pair in page.pairs[:only]:
            self.browser.choose(page, pair.number, "left")

    def finish(self, page: TaskPage) -> None:
        """Judge every pair, submit the task, and be paid in full."""
        self.judge(page)
        self.at.minutes_pass(10)
        self.browser.send_off(page, {})
        self.at.until(lambda: self.at.earned(self.worker_id) == 200)

    def previewed(self, campaign: str) -> dict[str, str]:
        """Return the frame's parameters on the page of the campaign's group."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.browser.cookies.items())
        address = f"{self.at.marketplace}/groups/{self.at.group_of(campaign)}/"
        elements = parse_page(fetched("GET", address, headers={"Cookie": cookies})[1])
        frame = next(one for one in elements if one.attributes.get("id") == "preview-frame")
        return {
            "address": frame.attributes["src"],
            **dict(parse_qsl(urlsplit(frame.attributes["src"]).query)),
        }


def fetched(method: str, address: str, **options: Any) -> tuple[int, str]:
    """Return a page's status and text, after any redirects."""
    with urllib3.PoolManager() as http:
        reply = http.request(method, address, retries=urllib3.Retry(redirect=5), **options)
        return reply.status, reply.data.decode()
