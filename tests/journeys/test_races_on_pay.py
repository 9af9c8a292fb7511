"""Workers who submit twice, return while submitting, and post forged forms: tasks are paid once, to the cent.

All of them attack at once, over HTTP, against pages and a marketplace in separate processes.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from judging.intake.kept_work import FORM_FOLLOWS
from judging.simulation.browser import BrowsingFailed, Taken, TaskPage, parse_page
from tests.journeys.installation import running
from tests.journeys.test_attacks_on_pay import PREPARE, Person, Town, ran
from tests.waiting import PATIENCE_SECONDS, wait_until

pytestmark = [
    pytest.mark.soak,
    pytest.mark.journey,
    pytest.mark.one_database,
    pytest.mark.xdist_group("attacks on pay"),
]
WHOLE, NOTHING = 200, 0
#: Cents for two of five pairs: 20 + 180 x 2 / 5.
TWO_PAIRS = 92


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("races") / "data"


@pytest.fixture(scope="module")
def town(folder) -> Iterator[Town]:
    """A campaign of 24 tasks, collected when the tests ask for it."""
    ours = {
        "MARKETPLACE_OPEN_SIGNUP": "yes",
        "PREFEREE_COLLECT_SECONDS": "3600",
        "PREFEREE_PAGE_REQUESTS_PER_SECOND": "0",
    }
    prepare = PREPARE.replace("queries=3, passages=4", "queries=12, passages=4")
    with running(folder, **ours) as environment:
        headers = {"Authorization": f"Bearer {ran(['-c', prepare], environment).split()[-1]}"}
        address = f"{environment['PREFEREE_PUBLIC_URL']}/api/v1"
        with httpx.Client(base_url=address, headers=headers, timeout=PATIENCE_SECONDS) as api:
            yield Town(environment, api, f"http://127.0.0.1:{environment['MARKETPLACE_PORT']}")


class Cheat(Person):
    """A worker who holds a task and can send pages and forms at any time, several at once."""

    def __init__(self, town: Town, name: str) -> None:
        super().__init__(town, name)
        self.taken: Taken = wait_until(self.take)
        self.page: TaskPage = self.judge(self.taken, only=0)

    @property
    def assignment(self) -> str:
        return parse_qs(urlsplit(self.taken.frame_address).query)["assignmentId"][0]

    def answer(self, only: int | None = None) -> None:
        for pair in self.page.pairs[:only]:
            self.browser.choose(self.page, pair.number, "right" if "offtopic" in pair.left else "left")

    def finish(self, way: str = "finish") -> dict[str, str]:
        """Submit our form; returns the fields of the crowd's form that follows, if any."""
        address = self.page.finish.removesuffix("finish") + way
        answer = httpx.post(address, data={"confirmed": "1"}, follow_redirects=True, timeout=PATIENCE_SECONDS)
        fields = [one.attributes for one in parse_page(answer.text) if one.tag == "input"]
        form = {one["name"]: one.get("value", "") for one in fields if "name" in one}
        return form if "assignmentId" in form else {}

    def hand_in(self, form: dict[str, str]) -> int:
        """Post the crowd's form; returns the status."""
        return httpx.post(
            f"{self.town.crowd}/mturk/externalSubmit", data=form, timeout=PATIENCE_SECONDS
        ).status_code

    def give_back(self) -> None:
        with suppress(BrowsingFailed):
            self.browser.give_back(self.taken)


def at_once(*acts: Callable[[], object]) -> None:
    with ThreadPoolExecutor(len(acts)) as threads:
        for done in [threads.submit(act) for act in acts]:
            done.result()


def submits_many_times(cheat: Cheat) -> None:
    cheat.answer()
    form = cheat.finish()
    at_once(*[lambda: cheat.hand_in(form)] * 6)


def finishes_in_two_tabs(cheat: Cheat) -> None:
    cheat.answer()
    at_once(*[lambda way=way: cheat.hand_in(cheat.finish(way)) for way in ("finish", "leave") * 2])


def returns_while_submitting(cheat: Cheat) -> None:
    cheat.answer()
    form = cheat.finish()
    at_once(lambda: cheat.hand_in(form), cheat.give_back)


def returns_then_finishes(cheat: Cheat) -> None:
    cheat.answer()
    cheat.give_back()
    assert cheat.hand_in(cheat.finish()) == 409


def finishes_then_returns(cheat: Cheat) -> None:
    cheat.answer()
    form = cheat.finish()
    cheat.give_back()
    assert cheat.hand_in(form) == 409


def posts_an_own_form_for_what_was_judged(cheat: Cheat) -> None:
    cheat.answer(2)
    assert cheat.hand_in({"assignmentId": cheat.assignment, "comment": ""}) == 200
    cheat.finish()  # too late: the crowd has it


def posts_an_empty_form(cheat: Cheat) -> None:
    assert cheat.hand_in({"assignmentId": cheat.assignment, "comment": ""}) == 200


def answers_after_submitting(cheat: Cheat) -> None:
    cheat.answer(2)
    cheat.hand_in(cheat.finish("leave"))
    with suppress(BrowsingFailed):
        cheat.answer()
    cheat.finish()


def returns_and_takes_again_and_again(cheat: Cheat) -> None:
    cheat.answer(4)
    for _ in range(2):
        cheat.give_back()
        at_once(*[cheat.take] * 3)
        cheat.taken = wait_until(cheat.take)
        cheat.page = cheat.judge(cheat.taken, only=0)
    cheat.answer()
    cheat.hand_in(cheat.finish())


ATTACKS: dict[Callable[[Cheat], None], int] = {
    submits_many_times: WHOLE,
    finishes_in_two_tabs: WHOLE,
    returns_while_submitting: WHOLE,
    returns_then_finishes: NOTHING,
    finishes_then_returns: WHOLE,
    posts_an_own_form_for_what_was_judged: TWO_PAIRS,
    posts_an_empty_form: NOTHING,
    answers_after_submitting: TWO_PAIRS,
    returns_and_takes_again_and_again: WHOLE,
}


def rows(folder: Path, of: str, sql: str) -> list[tuple]:
    with closing(sqlite3.connect(f"file:{folder / of}.sqlite3?mode=ro", uri=True)) as database:
        return database.execute(sql).fetchall()


def test_concurrent_submissions_are_paid_once_and_empty_ones_not_at_all(town, folder):
    cheats = {attack: Cheat(town, attack.__name__.replace("_", "-")[:30]) for attack in ATTACKS}
    victim = Cheat(town, "victim")
    thief = cheats[submits_many_times]
    stolen = {"assignmentId": victim.assignment, "workerId": thief.crowd_id, "choice-1": "left"}
    assert thief.hand_in(stolen) == 409

    at_once(*[lambda attack=attack, cheat=cheat: attack(cheat) for attack, cheat in cheats.items()])
    victim.answer()
    assert victim.hand_in(victim.finish()) == 200
    time.sleep(FORM_FOLLOWS.total_seconds() + 1)
    for _ in range(3):
        town.collected()

    earned = dict(rows(folder, "marketplace", "SELECT worker_id, earned_cents FROM marketplace_worker"))
    assert {attack.__name__: earned[cheat.crowd_id] for attack, cheat in cheats.items()} == {
        attack.__name__: cents for attack, cents in ATTACKS.items()
    }
    assert earned[victim.crowd_id] == WHOLE
    check = town.command("ledger", "fair", "--check")["check"]
    assert (check["differences"], check["ours"]) == ([], check["theirs"])
    assert check["ours"] * 100 == sum(earned.values())
    counted = """SELECT pair_id, count(*) FROM judging_judgment JOIN judging_submission
        ON judging_submission.id = submission_id WHERE standing = 'counted' GROUP BY pair_id HAVING count(*) > 1"""
    assert rows(folder, "preferee", counted) == []
