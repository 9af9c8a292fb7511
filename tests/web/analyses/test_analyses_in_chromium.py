"""An analysis from the button to its tables in a browser, with a hundred runs, under axe-core."""

import pytest
from playwright.sync_api import Page, expect

from pooling.models import Query
from tests.accessibility import WIDER, Inspector
from tests.chromium import PATIENCE
from tests.due_jobs import work_off_everything
from tests.factories import make_qrels
from tests.web.conftest import Harbour

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


def signed_in(cast: Harbour, page: Page, address: str) -> None:
    """Sign in as a viewer, with the session of the cast's client."""
    session = cast.clients["viewer"].cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": address}])


@pytest.mark.soak
def test_an_analysis_of_a_hundred_runs_arrives_by_itself_and_has_no_fault(cast, page, live_server):
    cast.add_runs(97)
    signed_in(cast, page, live_server.url)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    inspector = Inspector()
    page.goto(f"{live_server.url}/collections/harbour/analyses/")
    inspector.look(page, "the list")
    page.get_by_role("link", name="Stability of ranks").click()
    page.get_by_label("Resamples").fill("20")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("status")).to_contain_text("No background worker is running.")
    inspector.look(page, "under way")

    work_off_everything()

    table = page.get_by_role("region", name="Expected ranks")
    expect(table.locator("tbody tr")).to_have_count(100, timeout=PATIENCE)
    page.wait_for_load_state("networkidle")
    expect(page.locator(".printed img")).to_be_hidden()
    plot = page.get_by_role("group", name="Figure: Rank distributions").first
    expect(plot.locator("canvas").first).to_be_visible()
    plot.press("Home")
    plot.press("ArrowRight")
    expect(page.locator("[aria-live]").first).to_contain_text("expected rank")
    inspector.look(page, "the result")
    assert said == [], "the content security policy stands in the way of the figure"
    assert page.evaluate(WIDER) == 0
    assert "trials=20" in page.url
    assert inspector.faults == []


def test_bars_of_split_halves_can_be_asked(cast, page, live_server):
    cast.add_runs(3)
    Query.objects.create(collection=cast.collection, qid="q4", text="q4?", position=9)
    make_qrels(cast.collection, "wide", [("q1", "a", 1), ("q2", "a2", 1), ("q3", "a3", 1), ("q4", "a", 1)])
    signed_in(cast, page, live_server.url)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{live_server.url}/collections/harbour/analyses/split_halves/")
    page.get_by_label("Labels").select_option("wide")
    page.get_by_label("Splits").fill("5")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("status")).to_contain_text("No background worker is running.")

    work_off_everything()

    plot = page.get_by_role("group", name="Figure: Agreement of split halves").first
    expect(plot.locator("canvas").first).to_be_visible(timeout=PATIENCE)
    for key in ("Home", "ArrowRight"):
        plot.press(key)
    expect(page.locator("[aria-live]").first).to_contain_text("rank-sum, means")
    expect(page.locator("[aria-live]").first).to_contain_text("significant in a half: ")
    assert said == []
