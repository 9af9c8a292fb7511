"""A campaign of 100 tasks in which every tenth worker attacks: honest people are paid to the cent, and it ends.

Attackers forge arrivals, open tasks under another worker's id, answer for the current holder of their former place,
and send forms that none of our pages created. Product, jobs and marketplace are real processes.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import httpx
import pytest
from django.contrib.auth import get_user_model

from accounts.services.tokens import make_token
from config.process import launcher
from judging.launch.launches import launch_campaign
from judging.models import Campaign, CrowdIdentity, Exclusion, Judgment, Payment, Submission
from judging.money.ledger import compare_books
from judging.simulation.browser import Browser, Taken, TaskPage, hang_up, parse_page
from tests.chaos.person import all_done
from tests.journeys.installation import fetched, running
from tests.judging.cast import Fair
from tests.waiting import PATIENCE_SECONDS, wait_until

TASKS = 100
PEOPLE = 100
EVERY = 10
REWARD, BONUS = Decimal("0.20"), Decimal("1.17")
PAY = REWARD + BONUS

pytestmark = [
    pytest.mark.soak,
    pytest.mark.journey,
    pytest.mark.timeout(3600),
    pytest.mark.django_db(transaction=True),
]


@dataclass
class Town:
    """The addresses of product and marketplace, and the campaign."""

    folder: Path
    crowd: str
    api: httpx.Client
    campaign: Campaign

    def get(self, path: str) -> Any:
        return self.api.get(f"/campaigns/fair/{path}").raise_for_status().json()

    def post(self, path: str, **said: Any) -> None:
        self.api.post(f"/campaigns/fair/{path}", json=said).raise_for_status()

    def group(self) -> str:
        """Return the marketplace's group under which tasks are currently offered; empty if none are."""
        return self.campaign.postings.order_by("-number").values_list("crowd_key", flat=True)[0]

    def crowds_books(self, sql: str) -> list[tuple[Any, ...]]:
        """Return rows from the marketplace's own database."""
        address = f"file:{self.folder / 'marketplace.sqlite3'}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as database:
            return database.execute(sql).fetchall()


@pytest.fixture
def town(transactional_db, tmp_path, settings) -> Iterator[Town]:
    """An installation over this test's database, and 100 tasks of two pairs and a gold pair."""
    folder = tmp_path / "town"
    ours = {
        "DATABASE_URL": launcher.database_url(),
        "SECRET_KEY": settings.SECRET_KEY,
        "PREFEREE_COLLECT_SECONDS": "2",
        "PREFEREE_JOB_SWEEP_SECONDS": "1",
    }
    with running(folder, **ours) as environment:
        settings.PUBLIC_URL = environment["PREFEREE_PUBLIC_URL"]
        crowd = f"http://127.0.0.1:{environment['MARKETPLACE_PORT']}"
        settings.CROWD_ENDPOINT = settings.EMBEDDED_CROWD_ENDPOINT = crowd
        settings.CROWD_HOSTS = [crowd]
        key = json.loads((folder / "marketplace-key.json").read_text())
        settings.CROWD_ACCESS_KEY, settings.CROWD_SECRET_KEY = key["access_key"], key["secret_key"]
        ada = get_user_model().objects.create_superuser("ada", password="x")
        token = make_token(user=ada, name="t", scopes=["read", "campaigns"], days=1)[1]
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(
            base_url=f"{settings.PUBLIC_URL}/api/v1", headers=headers, timeout=PATIENCE_SECONDS
        ) as api:
            yield Town(folder, crowd, api, launched())
        hang_up()


def launched() -> Campaign:
    fair = Fair(None, queries=2 * TASKS, passages=2)
    sizes = {"pairs_per_task": 2, "gold_per_task": 1, "max_tasks_per_worker": 2}
    campaign = fair.draft(**sizes, reward=PAY, base_reward=REWARD, seed=7)
    Campaign.objects.filter(pk=campaign.pk).update(crowd="mturk", budget=Decimal(500))
    campaign.refresh_from_db()
    launch_campaign(campaign, accept_weak_screening=True)
    assert campaign.tasks.count() == TASKS
    return campaign


@dataclass
class Person:
    """A person with an account at the marketplace."""

    town: Town
    number: int
    browser: Browser = field(init=False)
    worker_id: str = field(init=False)
    done: int = 0

    def __post_init__(self) -> None:
        self.browser = Browser(self.town.crowd)
        self.worker_id = self.browser.sign_up(f"person-{self.number}", "a horse reads passages")

    def look(self) -> Taken | None:
        """Return a task if one is offered."""
        group = self.town.group()
        return self.browser.take(group) if group else None

    def take(self) -> Taken:
        taken = wait_until(self.look)
        assert taken is not None
        return taken

    def open(self, taken: Taken) -> TaskPage:
        page = self.browser.open_task(taken.frame_address)
        assert not page.refusal, page.refusal
        return page

    def judge(self, page: TaskPage, *numbers: int) -> None:
        """Read these pairs (counted from 0) and answer correctly."""
        for number in numbers:
            pair = page.pairs[number]
            self.browser.choose(page, pair.number, "right" if "offtopic" in pair.left else "left")

    def do_task(self, *, disturbed_by: Callable[[Taken], None] | None = None) -> None:
        """Do a whole task, optionally with an attack in the middle."""
        taken = self.take()
        page = self.open(taken)
        self.judge(page, 0)
        if disturbed_by:
            disturbed_by(taken)
        self.judge(page, 1, 2)
        self.browser.send_off(page, {})
        self.done += 1

    def previewed(self) -> str:
        """Return the frame's address on the group's page, which names the next worker's HIT."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.browser.cookies.items())
        address = f"{self.town.crowd}/groups/{self.town.group()}/"
        elements = parse_page(fetched("GET", address, headers={"Cookie": cookies})[1])
        frame = next(one for one in elements if one.attributes.get("id") == "preview-frame")
        return urljoin(address, frame.attributes["src"])

    def post_form(self, **fields: str) -> int:
        """Send the crowd a forged form with every choice; returns the status."""
        form = urlencode(fields | {f"choice-{number}": "left" for number in (1, 2, 3)})
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return fetched("POST", f"{self.town.crowd}/mturk/externalSubmit", body=form, headers=headers)[0]


def parameters(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query))


def open_as(person: Person, address: str, **changed: str) -> None:
    """Open a task's address with changed parameters, consent if asked, and get no task."""
    query = urlencode(parameters(address) | changed)
    page = person.browser.open_task(f"{address.partition('?')[0]}?{query}")
    assert page.refusal == "unknown-link"


# Attacks. Beside each works an honest person, who is its victim if it succeeds.


def forge_work(forger: Person, _victim: Person) -> None:
    """Send a form straight to the crowd for a task that was never opened."""
    forger.post_form(assignmentId=parameters(forger.take().frame_address)["assignmentId"])


def make_up_arrivals(forger: Person, victim: Person) -> None:
    """Arrive at the next HIT with forged ids, and at somebody else's task in the middle of it."""
    shown = forger.previewed()
    for number in range(3):
        ids = {
            "assignmentId": f"3MADEUP{forger.number}X{number}",
            "workerId": f"AMADEUP{forger.number}X{number}",
        }
        open_as(forger, shown, **ids)

    def arrive(taken: Taken) -> None:
        for worker in (forger.worker_id, f"AMADEUP{forger.number}"):
            open_as(forger, taken.frame_address, workerId=worker)

    victim.do_task(disturbed_by=arrive)


def open_in_anothers_name(forger: Person, victim: Person) -> None:
    """Open tasks under another worker's id until no gold pair is left for that worker."""
    shown = forger.previewed()
    for number in range(8):
        open_as(forger, shown, assignmentId=f"3MADEUP{forger.number}X{number}", workerId=victim.worker_id)


def answer_for_the_next(former: Person, victim: Person) -> None:
    """Return a task in the middle, and then answer for its next holder."""
    given_back = former.take()
    former.judge(former.open(given_back), 0)
    former.browser.give_back(given_back)
    old = parameters(given_back.frame_address)

    def answer(taken: Taken) -> None:
        assert parameters(taken.frame_address)["hitId"] == old["hitId"]
        assert former.post_form(assignmentId=old["assignmentId"]) == 409
        assert former.post_form(assignmentId=old["assignmentId"], workerId=former.worker_id) == 409
        assert former.browser.open_task(given_back.frame_address).refusal == "returned"

    victim.do_task(disturbed_by=answer)


ATTACKS = (forge_work, make_up_arrivals, open_in_anothers_name, answer_for_the_next)


def attack(attackers: list[Person], honest: list[Person]) -> list[Person]:
    """Let all attackers act while two honest people work beside each; returns those who forged submissions."""
    forgers = []
    for number, attacker in enumerate(attackers):
        act, victim, other = ATTACKS[number % len(ATTACKS)], honest[2 * number], honest[2 * number + 1]
        act(attacker, victim)
        if not victim.done:
            victim.do_task()
        other.do_task()
        if act is forge_work:
            forgers.append(attacker)
    # All take their second task before any submits, because the campaign can be paused from the fifth form on.
    held = [(forger, parameters(forger.take().frame_address)) for forger in forgers]
    for forger, ids in held:
        assert forger.post_form(assignmentId=ids["assignmentId"], workerId=forger.worker_id) == 200
    return forgers


def decide(town: Town, forged: int) -> str:
    """Act as a manager after the pause: pay one submission, reject the others, and resume.

    Returns the crowd's id of the worker who was paid.
    """
    wait_until(lambda: town.get("status")["state"] == "paused")
    assert "without a pair judged on our page" in town.campaign.changes.filter(what="paused").get().why
    wait_until(lambda: len(town.get("held-payments")) == forged)
    first, *others = town.get("held-payments")
    assert Decimal(first["amount"]) == PAY
    town.post(f"held-payments/{first['submission']}", decision="pay", why="The page was away.")
    for row in others:
        town.post(f"held-payments/{row['submission']}", decision="reject", why="No pair was judged.")
    town.post("resume", why="The senders of forms are blocked.")
    return CrowdIdentity.objects.get(worker=first["worker"]).crowd_worker_id


def came_in(campaign: Campaign) -> int:
    """Return the number of submissions that the crowd has listed."""
    return campaign.submissions.filter(state=Submission.State.SUBMITTED).count()


def earnings(town: Town) -> dict[str, int]:
    """Return worker id → cents for every worker whom the marketplace paid."""
    rows = town.crowds_books("SELECT worker_id, earned_cents FROM marketplace_worker WHERE earned_cents > 0")
    return dict(rows)


def cents(dollars: Decimal) -> int:
    return int(100 * dollars)


def test_honest_people_are_paid_to_the_cent_while_every_tenth_worker_attacks(town):
    people = [Person(town, number) for number in range(1, PEOPLE + 1)]
    attackers = [person for person in people if person.number % EVERY == 0]
    honest = [person for person in people if person.number % EVERY]
    payments = Payment.objects.filter(submission__campaign=town.campaign)

    forgers = attack(attackers, honest)
    wait_until(lambda: came_in(town.campaign) == sum(person.done for person in honest) + 2 * len(forgers))
    wait_until(lambda: not payments.filter(state=Payment.State.OWED).exists())
    assert earnings(town) == {person.worker_id: cents(PAY) for person in honest if person.done}
    wait_until(lambda: Exclusion.objects.count() == len(forgers) == 3)
    paid_by_decision = decide(town, forged=2 * len(forgers))
    for person in honest[2 * len(attackers) :]:
        person.do_task()
    assert [forger for forger in forgers if forger.look()] == []
    for person in honest[: TASKS - len(honest)]:  # including the victims, each with one task left
        person.do_task()

    wait_until(lambda: all_done(town.campaign))
    wait_until(lambda: not payments.filter(state__in=Payment.OPEN).exists())
    counted = Judgment.objects.filter(campaign=town.campaign).counted().values_list("pair", flat=True)
    assert Counter(counted) == dict.fromkeys(town.campaign.pairs.values_list("pk", flat=True), 1)
    assert_paid(town, honest, paid_by_decision)
    assert_blocked(town, forgers)
    former = [person for number, person in enumerate(attackers) if number % 4 == 3]
    known = {person.worker_id for person in (*honest, *forgers, *former)}
    assert set(CrowdIdentity.objects.values_list("crowd_worker_id", flat=True)) == known
    town.post("close", why="Every pair is judged.")
    wait_until(lambda: town.get("status")["state"] == "closed")  # only once nobody is owed anything


def assert_paid(town: Town, honest: list[Person], paid_by_decision: str) -> None:
    """Check in both ledgers: honest people are paid for each task, attackers only by a person's decision."""
    expected = {person.worker_id: cents(PAY) * person.done for person in honest}
    assert earnings(town) == expected | {paid_by_decision: cents(PAY)}
    assert sum(person.done for person in honest) == TASKS
    made = Payment.objects.filter(submission__campaign=town.campaign, state=Payment.State.PAID)
    amounts = made.values_list("submission__worker__identity__crowd_worker_id", "kind", "amount")
    tasks = {person.worker_id: person.done for person in honest} | {paid_by_decision: 1}
    assert Counter(amounts) == {
        (worker, kind, amount): done
        for worker, done in tasks.items()
        for kind, amount in (("reward", REWARD), ("bonus", BONUS))
    }
    books = compare_books(town.campaign)
    assert books.differences == []
    assert books.ours == books.theirs == PAY * (TASKS + 1)


def assert_blocked(town: Town, forgers: list[Person]) -> None:
    """Check that exactly the workers whose submissions our page never saw are blocked, here and at the crowd."""
    ids = {person.worker_id for person in forgers}
    excluded = Exclusion.objects.values_list("rule", "worker__identity__crowd_worker_id")
    assert set(excluded) == {(Exclusion.UNSEEN, worker) for worker in ids}
    listed = town.crowds_books(
        "SELECT worker.worker_id FROM marketplace_qualification JOIN marketplace_worker worker "
        "ON worker.id = marketplace_qualification.worker_id JOIN marketplace_qualificationtype kind "
        "ON kind.id = marketplace_qualification.qualification_type_id "
        "WHERE granted AND kind.name NOT LIKE 'All tasks done%'"  # honest workers at their limit of tasks
    )
    assert {worker for (worker,) in listed} == ids
