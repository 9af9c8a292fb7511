"""Forms sent straight to the crowd of a running installation: they are not paid automatically, honest work is."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from config.settings import BASE_DIR
from judging.simulation.browser import Browser
from tests.journeys.installation import running
from tests.waiting import PATIENCE_SECONDS, wait_until

# It uses separate SQLite files in every stage.
pytestmark = [
    pytest.mark.soak,
    pytest.mark.journey,
    pytest.mark.one_database,
    pytest.mark.xdist_group("attacks on pay"),
]
PASSWORD = "a horse reads passages 7"
#: Creates the campaign in the installation's database; prints an administrator's token.
PREPARE = """
import django; django.setup()
from django.contrib.auth import get_user_model
from accounts.services.tokens import make_token
from judging.models import Campaign
from judging.launch.launches import launch_campaign
from judging.intake.places import post_places
from tests.judging.cast import Fair
fair = Fair(None, queries=3, passages=4)
campaign = fair.draft(max_tasks_per_worker=6)
Campaign.objects.filter(pk=campaign.pk).update(crowd="mturk", budget=500)  # held pay stays within it
campaign.refresh_from_db()
launch_campaign(campaign, accept_weak_screening=True)
post_places(campaign)
ada = get_user_model().objects.create_superuser("ada", password="x")
print(make_token(user=ada, name="t", scopes=["read", "campaigns"], days=1)[1])
"""


@dataclass
class Town:
    """A running installation and its marketplace, used over HTTP and through commands."""

    environment: dict[str, str]
    api: httpx.Client
    crowd: str

    def command(self, *words: str) -> dict[str, Any]:
        return json.loads(ran([*words, "--json"], self.environment))

    def get(self, path: str) -> Any:
        return self.api.get(f"/campaigns/fair/{path}").raise_for_status().json()

    def post(self, path: str, **said: Any) -> Any:
        return self.api.post(f"/campaigns/fair/{path}", json=said).raise_for_status().json()

    def collected(self) -> None:
        """Collect the crowd's whole list, and pay what is owed."""
        self.command("collect", "fair")

    def paid(self, worker: int) -> Decimal:
        return Decimal(self.get(f"workers/{worker}")["record"]["paid"])


class Person:
    """A person at the crowd's site."""

    def __init__(self, town: Town, name: str) -> None:
        self.town, self.browser = town, Browser(town.crowd)
        self.crowd_id = self.browser.sign_up(name, PASSWORD)

    def take(self) -> Any:
        """Take a task that the crowd's site offers to this person; None if there is none."""
        home = httpx.get(f"{self.town.crowd}/", cookies=self.browser.cookies).text
        groups = dict.fromkeys(re.findall(r"/groups/(\w+)/", home))
        return next((taken for group in groups if (taken := self.browser.take(group))), None)

    def forge(self, taken: Any) -> None:
        """Submit a forged form with every choice."""
        assignment = parse_qs(urlsplit(taken.frame_address).query)["assignmentId"][0]
        form = {"assignmentId": assignment, "workerId": self.crowd_id}
        form |= {f"choice-{number}": "left" for number in range(1, 14)}
        httpx.post(f"{self.town.crowd}/mturk/externalSubmit", data=form).raise_for_status()

    def judge(self, taken: Any, *, only: int | None = None) -> Any:
        """Open the page, consent, and answer (the first ``only`` pairs) correctly."""
        page = self.browser.open_task(taken.frame_address)
        for pair in page.pairs[:only]:
            self.browser.choose(page, pair.number, "right" if "offtopic" in pair.left else "left")
        return page

    def do_task(self) -> None:
        self.browser.send_off(self.judge(wait_until(self.take)), {})


def ran(words: list[str], environment: dict[str, str]) -> str:
    script = words[:1] == ["-c"]
    done = subprocess.run(
        [sys.executable, *words] if script else [sys.executable, "manage.py", *words],
        cwd=BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def town(tmp_path_factory) -> Iterator[Town]:
    """One installation for all attacks: pages, jobs and the marketplace in separate processes."""
    ours = {
        "MARKETPLACE_OPEN_SIGNUP": "yes",
        "PREFEREE_COLLECT_SECONDS": "3600",  # the tests start collections
        "PREFEREE_PAGE_REQUESTS_PER_SECOND": "0",
    }
    with running(tmp_path_factory.mktemp("town") / "data", **ours) as environment:
        token = ran(["-c", PREPARE], environment).split()[-1]
        headers = {"Authorization": f"Bearer {token}"}
        api_address = f"{environment['PREFEREE_PUBLIC_URL']}/api/v1"
        with httpx.Client(base_url=api_address, headers=headers, timeout=PATIENCE_SECONDS) as api:
            yield Town(environment, api, f"http://127.0.0.1:{environment['MARKETPLACE_PORT']}")


@pytest.fixture(scope="module")
def honest(town) -> int:
    """A worker who judged one whole task on our page; yields our number for the worker."""
    Person(town, "honest").do_task()
    town.collected()
    (worker,) = town.get("workers")["workers"]
    return worker["worker"]


def held_of(town: Town, others: set[int]) -> list[dict[str, Any]]:
    return [row for row in town.get("held-payments") if row["worker"] not in others]


def paid_to_everybody(town: Town) -> list[Decimal]:
    return sorted(Decimal(row["paid"]) for row in town.get("workers")["workers"])


def test_forms_sent_straight_to_the_crowd_are_held_and_their_sender_is_blocked(town, honest):
    forger, sent = Person(town, "forger"), 0
    while sent < 6 and (taken := forger.take()):
        forger.forge(taken)
        sent += 1
    assert sent >= 2

    town.collected()

    held = held_of(town, {honest})
    assert [(Decimal(row["amount"]), row["saved"]) for row in held] == [(Decimal("2.00"), 0)] * sent
    (worker,) = {row["worker"] for row in held}
    assert town.paid(worker) == 0
    assert town.get(f"workers/{worker}")["decisions"][0]["rule"] == "unseen"
    # The worker is blocked at the crowd, and the tasks are offered to others again.
    wait_until(lambda: town.get("status")["places"]["open"])
    assert forger.take() is None
    status = town.get("status")
    assert status["state"] == "open"  # one blocked worker does not stop the others
    assert "is held until you decide" in status["problems"][0]
    # The honest worker is paid in full and can work again.
    assert town.paid(honest) == Decimal("2.00")


def test_a_form_that_claims_more_than_was_saved_is_paid_what_was_saved(town, honest):
    sly = Person(town, "sly")
    taken = wait_until(sly.take)
    sly.judge(taken, only=2)
    known = {row["worker"] for row in town.get("held-payments")}
    sly.forge(taken)

    town.collected()

    (row,) = wait_until(lambda: held_of(town, known))
    assert (row["answered"], row["saved"], Decimal(row["amount"])) == (5, 2, Decimal("1.08"))
    assert wait_until(lambda: town.paid(row["worker"])) == Decimal("0.92")


def test_after_a_persons_decision_honest_people_continue_and_both_ledgers_agree(town, honest):
    first, *others = sorted(town.get("held-payments"), key=lambda row: row["reward"], reverse=True)
    town.post(f"held-payments/{first['submission']}", decision="pay", amount="0.50", why="The page was away.")
    town.post(f"held-payments/{others[0]['submission']}", decision="reject", why="No pair was judged.")
    Person(town, "steady").do_task()

    town.collected()

    whole = [Decimal("0.50"), Decimal("0.92"), Decimal("2.00"), Decimal("2.00")]
    wait_until(lambda: paid_to_everybody(town) == whole, lambda: paid_to_everybody(town))
    assert len(town.get("held-payments")) == len(others) - 1
    check = town.command("ledger", "fair", "--check")["check"]
    assert (check["differences"], check["ours"]) == ([], check["theirs"])
