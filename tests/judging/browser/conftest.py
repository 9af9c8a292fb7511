"""One crowd site for all tests here, and a place at it for each test."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import BrowserContext, expect

from judging.models import Campaign
from tests.chromium import ARGUMENTS
from tests.journeys.person import Person
from tests.judging.browser.crowd_site import OPAQUE, CrowdSite, serving
from tests.judging.cast import Fair
from tests.judging.fake_crowd import FakeCrowd
from tests.judging.visitor import Visitor

BLOCK_THIRD_PARTY_COOKIES = "--test-third-party-cookie-phaseout"
#: A task: ten pairs and three gold pairs.
SHAPE: dict[str, Any] = {"pairs_per_task": 10, "gold_per_task": 3, "max_tasks_per_worker": 2}


@pytest.fixture
def chromium_arguments() -> list[str]:
    """Chromium, with third-party cookies blocked."""
    return [*ARGUMENTS, BLOCK_THIRD_PARTY_COOKIES]


@pytest.fixture(scope="package")
def _crowd_site() -> Iterator[CrowdSite]:
    with serving() as site:
        yield site


@pytest.fixture
def crowd_site(_crowd_site: CrowdSite, settings) -> CrowdSite:
    """The crowd's site, the only one whose frames and forms are allowed."""
    _crowd_site.reset()
    settings.CROWD_HOSTS = [_crowd_site.address]
    return _crowd_site


@pytest.fixture
def product(live_server, settings) -> str:
    """The product's address, on another site than the crowd's."""
    settings.PUBLIC_URL = f"http://127.0.0.1:{urlsplit(live_server.url).port}"
    settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost", "testserver"]
    return settings.PUBLIC_URL


class Reader(Person):
    """A person at the crowd's site who took a place, and finds the answers of gold pairs by reading them."""

    def __init__(self, context: BrowserContext, place: Place, sandbox: str = OPAQUE) -> None:
        super().__init__(context.new_page(), {})
        self.place, self.sandbox = place, sandbox

    def _grade(self, question: str, text: str) -> int:
        return int("relevant" in text)

    def open(self, **changed: str) -> None:
        """Open the task's page at the crowd's site."""
        self.page.bring_to_front()
        self.page.goto(self.place.site.framing(self.place.address(**changed), self.sandbox))

    def begin(self) -> None:
        """Open the task, consent, and go to the first pair."""
        self.open()
        self.frame.locator("#agree").click()
        self.start()

    def start(self) -> None:
        """Go from the instructions to the first pair."""
        self.shows("13 pairs")
        self.frame.locator("#begin").click()
        self.shows("Pair 1 of 13")

    def come_back(self) -> None:
        """Switch to this tab, because a browser can drop requests of background tabs."""
        self.page.bring_to_front()

    def judge(self, first: int, last: int) -> None:
        """Judge these pairs with the mouse."""
        for number in range(first, last + 1):
            self.shows(f"Pair {number} of 13")
            self.click(number)

    def send_off(self) -> None:
        """Submit the task. The page continues to the crowd's form automatically."""
        self.shows("All 13 pairs")
        self.frame.locator("#send").click()
        self.is_handed_in()

    def is_handed_in(self) -> None:
        """Wait until the crowd's site says that it has the task."""
        expect(self.frame.locator("#handed-in")).to_be_visible()


class Place:
    """Create a place that somebody took at the crowd's site."""

    def __init__(self, site: CrowdSite, product: str, visitor: Visitor) -> None:
        self.site, self.product, self.visitor = site, product, visitor
        visitor.params["turkSubmitTo"] = site.address

    def address(self, **changed: str) -> str:
        """Return the contents of the crowd's frame."""
        return f"{self.product}{urlsplit(self.visitor.taken.url).path}?{urlencode(self.visitor.params | changed)}"

    def choices(self) -> dict[int, str]:
        """Return number → last chosen side, for every slot with a choice."""
        rows = self.visitor.slots().order_by("number", "choices__chosen_at", "choices__sequence")
        return {number: side for number, side in rows.values_list("number", "choices__side") if side}

    def right_choices(self) -> dict[int, str]:
        """Return number → side, as a :class:`Reader` judges."""
        return {int(name[7:]): side for name, side in self.visitor.choices().items()}


@pytest.fixture
def campaign(crowd: FakeCrowd, transactional_db) -> Campaign:
    """Two questions with five passages each: twenty pairs, in two tasks of ten pairs and three gold pairs."""
    fair = Fair(crowd, queries=2, passages=5)
    return fair.opened(**SHAPE, reward=Decimal("2.00"), base_reward=Decimal("0.20"))


@pytest.fixture
def place(crowd: FakeCrowd, campaign: Campaign, crowd_site: CrowdSite, product: str) -> Place:
    """A place that AMARTHA took. What she submits at the crowd's site is in the crowd's list."""
    place = Place(crowd_site, product, Visitor(crowd, campaign))
    crowd_site.when_received = lambda form: crowd.hand_in(place.visitor.taken, form)
    return place
