"""A researcher in a browser: from real runs over a pool and every step of the wizard to a launched campaign."""

import re

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from playwright.sync_api import Page, expect

from judging.campaign.worker_texts import size_of
from judging.models import Campaign, GoldPair, Place, Posting
from pooling.models import Collection, Membership
from tests.accessibility import WIDER, Inspector
from tests.due_jobs import work_off_everything
from tests.factories import grant_to
from tests.journeys.conftest import typed
from tests.journeys.test_rehearsal import judged_queries

pytestmark = [
    pytest.mark.soak,
    pytest.mark.journey,
    pytest.mark.one_database,  # tests of pages and services cover the same on both databases
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
RUNS = 5


@pytest.fixture
def collection(site, shared_data) -> Collection:
    """Five real runs with their labels, and a manager who is not signed in yet."""
    data = shared_data / "dl21"
    typed("import_collection", "dl21", "--queries", data / "topics.tsv")
    typed("import_qrels", "dl21", data / "qrels.txt", "--set", "official", "--min-grade", 2)
    typed("import_runs", "dl21", *sorted((data / "runs").iterdir())[:RUNS])
    found = Collection.objects.get()
    mia = get_user_model().objects.create_user("mia")
    Membership.objects.create(collection=found, user=mia, role="manager")
    grant_to(collection=found)
    return found


def signed_in(page: Page, address: str) -> None:
    client = Client()
    client.force_login(get_user_model().objects.get(username="mia"))
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": address}])


def test_from_runs_to_a_launched_campaign(collection, site, page, shared_data):
    signed_in(page, site)
    inspector, complaints = Inspector(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    qids = judged_queries(shared_data / "dl21" / "qrels.txt", 2)

    build_a_pool(page, site, qids, inspector)
    make_a_draft(page, inspector)
    decide_about_gold(page, inspector)
    read_the_texts(page, inspector)
    set_the_pay(page, inspector)
    rehearse(page, inspector)
    launch(page, inspector)

    campaign = Campaign.objects.get(name="first")
    assert (campaign.state, campaign.budget) == (Campaign.State.OPEN, 60)
    assert Posting.objects.filter(campaign=campaign).count() == 1
    offered = Place.objects.filter(posting__campaign=campaign, state=Place.State.OPEN)
    assert offered.count() == campaign.tasks.count() > 0
    assert complaints == []
    assert "\n".join(inspector.faults) == ""


def build_a_pool(page: Page, site: str, qids: list[str], inspector: Inspector) -> None:
    page.goto(f"{site}/collections/dl21/pools/new/")
    expect(page.locator("#plan")).to_contain_text("Build the pool of 53 queries")
    page.locator("details.advanced").evaluate("one => { one.open = true; }")
    page.get_by_label("Only these queries").fill(" ".join(qids))
    expect(page.get_by_role("button", name="Build the pool of 2 queries")).to_be_visible()
    assert "queries=" in page.url
    page.get_by_label("Depth").fill("0")
    expect(page.locator("#id_depth_error")).to_be_visible()
    page.get_by_label("Depth").fill("1")
    expect(page.locator("#id_depth_error")).to_have_count(0)
    inspector.look(page, "the plan of a pool")
    assert page.evaluate(WIDER) == 0
    page.get_by_label("Name of the pool").fill("tops")
    page.get_by_role("button", name="Build the pool of 2 queries").click()
    expect(page.get_by_role("status")).to_contain_text("No background worker is running.")
    inspector.look(page, "a pool under way")
    work_off_everything()
    expect(page.get_by_role("heading", name="tops", exact=True)).to_be_visible()
    inspector.look(page, "a pool")


def make_a_draft(page: Page, inspector: Inspector) -> None:
    page.get_by_role("link", name="Prepare a campaign over this pool").click()
    page.get_by_label("Name", exact=True).fill("first")
    page.locator("details.advanced > summary").click()
    page.get_by_label("Maximum tasks per worker").fill("4")
    page.get_by_label("Gold pairs per task").fill("1")
    page.get_by_label("For simulated workers only").check()
    inspector.look(page, "a new campaign")
    page.get_by_role("button", name="Create draft").click()
    expect(page).to_have_url(re.compile("/campaigns/first/prepare/gold/"))
    page.get_by_role("link", name=re.compile("Settings")).click()
    expect(page.get_by_label("Maximum tasks per worker")).to_have_value("4")
    inspector.look(page, "settings")
    page.get_by_role("link", name=re.compile("Gold pairs .*accepted")).click()


def decide_about_gold(page: Page, inspector: Inspector) -> None:
    page.get_by_role("button", name="Propose gold pairs").click()
    work_off_everything()
    expect(page.get_by_role("button", name="Accept A", exact=True)).to_be_visible()
    inspector.look(page, "gold pairs")
    page.keyboard.press("r")
    expect(page.get_by_text("was rejected")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_text("was rejected")).to_have_count(0)
    for accepted in range(1, 5):
        page.keyboard.press("a")
        expect(page.get_by_text(f"{accepted} of 4 accepted").last).to_be_visible()
    assert GoldPair.objects.filter(state="accepted", decided_by="mia").count() == 4
    inspector.look(page, "decided gold pairs")
    page.get_by_role("link", name="Continue to texts").click()


def read_the_texts(page: Page, inspector: Inspector) -> None:
    frame = page.frame_locator("iframe[name=preview]")
    expect(frame.get_by_role("heading", name="Before you begin")).to_be_visible()
    page.get_by_label("Consent").fill("You agree to judge {pairs} pairs.")
    size = size_of(Campaign.objects.get())
    expect(frame.get_by_text(f"You agree to judge {size} pairs.")).to_be_visible()
    page.get_by_role("button", name="Show instructions and pairs").click()
    expect(frame.locator("#pair-1")).to_be_visible()
    inspector.look(page, "texts")
    page.get_by_role("button", name="Save, accept and continue").click()


def set_the_pay(page: Page, inspector: Inspector) -> None:
    page.get_by_label("Dollars per whole task").fill("4.00")
    expect(page.locator("#told")).to_contain_text("$4.00")
    page.get_by_label("Budget").fill("60")
    expect(page.locator("#told")).to_contain_text("your budget")
    inspector.look(page, "pay")
    page.get_by_role("button", name="Save and continue to rehearsal").click()
    expect(page.get_by_role("heading", name="Rehearsal", exact=True)).to_be_visible()
    assert Campaign.objects.get().texts_accepted_at is None  # because the stated pay has changed
    page.get_by_role("link", name="Texts", exact=True).click()
    page.get_by_role("button", name="Save, accept and continue").click()
    expect(page.get_by_label("Budget")).to_have_value("60.00")
    page.get_by_role("link", name=re.compile("Rehearsal")).click()


def rehearse(page: Page, inspector: Inspector) -> None:
    page.get_by_label("Simulated workers").fill("4")
    page.get_by_label("Careless workers").fill("1")
    page.get_by_role("button", name="Rehearse first").click()
    expect(page.get_by_role("status")).to_contain_text("No background worker is running.")
    inspector.look(page, "a rehearsal under way")
    work_off_everything()
    expect(page.get_by_text("The best answer found is truly the best")).to_be_visible()
    inspector.look(page, "a rehearsal")
    page.get_by_role("link", name="Continue to check list").click()


def launch(page: Page, inspector: Inspector) -> None:
    expect(page.get_by_text("Ready to launch;")).to_be_visible()
    inspector.look(page, "check list")
    page.get_by_role("link", name="Continue to launch").click()
    page.get_by_label("Type the amount to confirm it").fill("59")
    page.get_by_role("button", name="Launch first and spend up to $60.00").click()
    expect(page.get_by_role("alert").filter(has_text="Nothing was posted")).to_be_visible()
    inspector.look(page, "launch")
    page.get_by_label("Type the amount to confirm it").fill("60")
    page.get_by_role("button", name="Launch first and spend up to $60.00").dblclick()
    expect(page).to_have_url(re.compile("/campaigns/first/$"))
    work_off_everything()
