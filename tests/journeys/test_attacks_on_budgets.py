"""An invited account tries to spend the installation's crowd money, over HTTP against processes of the product."""

import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from accounts.services.tokens import make_token
from config.process import launcher
from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.campaign.worker_texts import accept_texts
from judging.models import Campaign, CrowdCall, Place, Reservation
from pooling.models import Collection, Membership, Passage, Pool, PooledPassage, Query
from tests.factories import grant_to
from tests.provision import free_port
from tests.waiting import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.soak, pytest.mark.journey, pytest.mark.django_db(transaction=True)]
REFUSED = "nobody has granted you any"
WHOM = "an administrator (ada)"


@dataclass
class Person:
    """A person with a signed-in browser and an API token."""

    name: str
    address: str
    browser: httpx.Client = field(init=False)
    script: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        user = get_user_model().objects.get(username=self.name)
        client = Client()
        client.force_login(user)
        cookies = {"sessionid": client.cookies["sessionid"].value}
        self.browser = httpx.Client(base_url=self.address, cookies=cookies, timeout=PATIENCE_SECONDS)
        token = make_token(user=user, name="t", scopes=["read", "campaigns", "people"], days=1)[1]
        headers = {"Authorization": f"Bearer {token}"}
        self.script = httpx.Client(
            base_url=f"{self.address}/api/v1", headers=headers, timeout=PATIENCE_SECONDS
        )

    def close(self) -> None:
        """Close the connections."""
        self.browser.close()
        self.script.close()

    def sends(self, page: str, **fields: str) -> httpx.Response:
        """Open a page, fill in its form and submit it."""
        secret = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.browser.get(page).text)
        assert secret, page
        return self.browser.post(page, data=fields | {"csrfmiddlewaretoken": secret[1]})

    def calls(self, path: str, **body: object) -> tuple[int, str]:
        """Call the API; returns the status, and the message with its next step."""
        reply = self.script.post(path, json=body)
        return reply.status_code, reply.text


@pytest.fixture
def served(tmp_path, settings, marketplace):
    """Two web processes over this test's database, with a separate marketplace as crowd; yields their address."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    environment |= {
        "DATABASE_URL": launcher.database_url(),
        "PREFEREE_DATA_DIR": str(tmp_path / "served"),
        "PREFEREE_PUBLIC_URL": address,
        "SECRET_KEY": settings.SECRET_KEY,
        "MARKETPLACE_PORT": marketplace["endpoint"].rpartition(":")[2],
        "PREFEREE_CROWD_ACCESS_KEY": marketplace["access_key"],
        "PREFEREE_CROWD_SECRET_KEY": marketplace["secret_key"],
    }
    command = [sys.executable, "manage.py", "run", "--web-only", "--processes", "2", "--threads", "2"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    try:
        launcher.wait_for(f"{address}/healthz", process, "web")
        yield address
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def prepared(collection: str, owner: str, *, name: str) -> Campaign:
    """Create a campaign that is ready to launch in this person's collection: $30.00 for ten tasks."""
    made, _ = Collection.objects.get_or_create(name=collection)
    user = get_user_model().objects.get(username=owner)
    Membership.objects.get_or_create(collection=made, user=user, defaults={"role": "owner"})
    pool = Pool.objects.create(collection=made, name=f"{name}-pool")
    for number in range(10):
        query = Query.objects.create(collection=made, qid=f"{name}{number}", text="why?", position=number)
        for letter in "ab":
            pid = f"{name}{number}{letter}"
            passage = Passage.objects.create(collection=made, pid=pid, text=f"text {pid}", class_key=pid)
            PooledPassage.objects.create(pool=pool, query=query, passage=passage)
    settings = CampaignSettings(pairs_per_task=1, gold_per_task=0, max_tasks_per_worker=1)
    campaign = create_campaign(name=name, settings=settings, pool=pool)
    accept_texts(campaign)
    return campaign


def committed() -> list[str]:
    """Return everything that costs or can cost money."""
    return [
        *map(str, Reservation.objects.all()),
        *map(str, Place.objects.all()),
        *map(str, CrowdCall.objects.all()),
    ]


def test_an_invited_viewer_spends_nothing_and_an_owner_with_a_grant_all_of_it(served):
    people = get_user_model().objects
    people.create_user("ada", is_superuser=True)
    for name in ("vic", "olga"):
        people.create_user(name)
    harbour = prepared("harbour", "olga", name="spring").collection
    Membership.objects.create(collection=harbour, user=people.get(username="vic"), role="viewer")
    for name in ("first", "second"):
        prepared("vics-own", "vic", name=name)
    prepared("harbour", "olga", name="summer")
    grant_to(40, collection=harbour)
    with closing(Person("vic", served)) as vic, closing(Person("olga", served)) as olga:
        attack(vic)
        launch_undisturbed(olga)


def attack(vic: Person) -> None:
    """Try every way to spend money, without a grant and then with one that is too small."""
    # In the collection that vic can only view, and in one of vic's own; on pages and over the API.
    assert vic.calls("/campaigns/spring/launch", confirm_spend=24)[0] == 403
    page = vic.sends("/campaigns/first/prepare/pilot/", tasks="1", amount="2.40")
    assert (page.status_code, REFUSED in page.text, WHOM in page.text) == (422, True, True)
    launching = vic.browser.get("/campaigns/first/prepare/launch/").text
    assert (REFUSED in launching, WHOM in launching) == (True, True)
    assert "Launch first and spend" not in launching
    for path, body in {
        "/campaigns/first/launch": {"confirm_spend": 24},
        "/campaigns/first/pilot": {"tasks": 1, "confirm_spend": 2.4},
    }.items():
        status, said = vic.calls(path, **body)
        assert (status, REFUSED in said, WHOM in said) == (403, True, True), path
    # Raising the budget, challenging and topping up do not give a draft money either, and vic cannot grant any.
    assert vic.calls("/campaigns/first/budget", amount=500)[0] == 200
    assert vic.calls("/campaigns/first/launch", confirm_spend=500)[0] == 403
    assert vic.calls("/campaigns/first/challenges", runs=["made-up"], confirm_spend=500)[0] == 404
    assert (
        "No worker has completed a whole task"
        in vic.sends("/campaigns/first/top-up/", minimum="15", total="1").text
    )
    asked = {"to": "person", "name": "vic", "amount": 500, "last_day": "2999-01-01"}
    assert vic.calls("/spending/grants", **asked)[0] == 403
    assert committed() == []

    # The grant covers one of two campaigns that are launched at once: exactly one is launched.
    grant_to(30, person=get_user_model().objects.get(username="vic"))
    vic.calls("/campaigns/first/budget", amount=24)
    with ThreadPoolExecutor(2) as both:
        paths = [f"/campaigns/{name}/launch" for name in ("first", "second")]
        tried = [both.submit(vic.calls, path, confirm_spend=24) for path in paths]
        statuses = sorted(one.result()[0] for one in tried)
    assert statuses == [200, 403]
    launched = Campaign.objects.get(collection__name="vics-own", state="open")
    status, said = vic.calls(f"/campaigns/{launched.name}/budget", amount=30.01)
    assert (status, "your spending grants have only $6.00 left" in said, WHOM in said) == (403, True, True)


def launch_undisturbed(olga: Person) -> None:
    """Meanwhile the owner, with the collection's grant, can launch one campaign but not a second."""
    price = "24.00"  # ten tasks of $2.40
    assert f"spend up to ${price}" in olga.browser.get("/campaigns/spring/prepare/launch/").text
    sent = olga.sends("/campaigns/spring/prepare/launch/", amount=price)
    assert sent.headers["Location"] == "/campaigns/spring/"
    assert olga.calls("/campaigns/spring/launch", confirm_spend=24)[0] == 200  # repeated, without effect
    assert olga.calls("/campaigns/summer/launch", confirm_spend=24)[0] == 403
    assert Place.objects.filter(posting__campaign__name="spring").count() == 10
    assert list(Reservation.objects.values_list("amount", flat=True)) == [24, 24]
