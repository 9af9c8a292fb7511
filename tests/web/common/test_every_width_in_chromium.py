"""The most used pages in Chromium: every width, light and dark, with few and with very many runs, under axe-core."""

import pytest

from judging.models import Campaign
from pooling.models import Query, Run
from tests.accessibility import WIDER, WIDEST, Inspector
from tests.chromium import PATIENCE

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.soak]

WIDTHS = {390: 844, 820: 1180, 1280: 800, 1920: 1080}
COLLECTION = "/collections/harbour"
PAGES = {
    "home": "/",
    "leaderboards": "/leaderboards/",
    "collection": f"{COLLECTION}/",
    "queries": f"{COLLECTION}/queries/",
    "map": f"{COLLECTION}/queries/map/",
    "runs": f"{COLLECTION}/runs/",
    "upload": f"{COLLECTION}/runs/send/",
    "board": f"{COLLECTION}/leaderboard/",
    "official board": f"{COLLECTION}/leaderboard/?version=none",
    "compare": f"{COLLECTION}/two-runs/",
    "analyses": f"{COLLECTION}/analyses/",
    "pool plan": f"{COLLECTION}/pools/new/",
    "version": f"{COLLECTION}/versions/1/",
    "campaign": "/campaigns/spring/",
    "gold pairs of a draft": "/campaigns/next/prepare/gold/",
    "rehearsal of a draft": "/campaigns/next/prepare/rehearsal/",
}
#: Elements that extend beyond their cell and cover the next one.
COVERING = """() => [...document.querySelectorAll("td > *, th > *")]
  .filter((one) => one.checkVisibility() && !one.matches(".hidden"))
  .filter((one) => one.getBoundingClientRect().right > one.parentElement.getBoundingClientRect().right + 1)
  .map((one) => one.outerHTML.slice(0, 80))"""


@pytest.fixture
def owner_page(cast, window, live_server):
    """A browser page of the collection's owner; any script error fails the test at once."""
    context = window()
    session = cast.clients["owner"].cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    return page


@pytest.mark.parametrize("runs", [3, 16, 300, 1000])
def test_pages_fit_every_width_in_both_schemes_without_violations(cast, owner_page, live_server, runs):
    cast.add_runs(runs - 3)
    Campaign.objects.create(name="next", collection=cast.collection, pool=cast.pool, seed=1)
    inspector, too_wide = Inspector(), []
    run = f"{COLLECTION}/runs/{cast.quay.pk}/"
    query = f"{COLLECTION}/versions/1/queries/{cast.query('q1').pk}/"
    two = f"{COLLECTION}/two-runs/?a=quay&b=mole"

    unjudged = Query.objects.create(collection=cast.collection, qid="q9", text="unjudged?", position=9)
    pages = {
        **PAGES,
        "query": query,
        "two runs": two,
        "run": run,
        "unjudged": f"{COLLECTION}/queries/{unjudged.pk}/",
    }

    for name, address in pages.items():
        owner_page.set_viewport_size({"width": 1280, "height": 800})
        reply = owner_page.goto(live_server.url + address)
        assert reply is not None, name
        assert reply.status == 200, name
        inspector.look(owner_page, name)
        for width, height in WIDTHS.items():
            owner_page.set_viewport_size({"width": width, "height": height})
            for scheme in ("light", "dark"):
                owner_page.emulate_media(color_scheme=scheme)
                if wider := owner_page.evaluate(WIDER):
                    what = owner_page.evaluate(WIDEST)
                    too_wide.append(f"{name} at {width}, {scheme}: {wider} pixels, by {what}")
            too_wide += [
                f"{name} at {width}: {one} covers the next cell" for one in owner_page.evaluate(COVERING)
            ]

    assert too_wide == []
    assert inspector.faults == []


@pytest.mark.parametrize("address", ["runs/", "leaderboard/", "leaderboard/?version=none"])
def test_a_phone_shows_the_first_value_without_scrolling(cast, owner_page, live_server, address):
    cast.add_runs(1)
    Run.objects.filter(run_tag__startswith="extra").update(run_tag="a_run_with_a_long_name_of_many_parts")
    owner_page.set_viewport_size({"width": 390, "height": 844})
    owner_page.goto(f"{live_server.url}{COLLECTION}/{address}")

    first = owner_page.locator(".board tbody td.value:nth-of-type(3), .runs tbody td.number:nth-of-type(2)")
    ends = first.evaluate_all("(cells) => cells.map((cell) => cell.getBoundingClientRect().right)")

    assert ends
    assert max(ends) <= 378 + 1  # the page's margin


def test_a_phone_shows_the_controls_of_every_member(cast, owner_page, live_server):
    owner_page.set_viewport_size({"width": 390, "height": 844})
    owner_page.goto(f"{live_server.url}{COLLECTION}/members/")

    buttons = owner_page.get_by_role("button", name="Change role")
    ends = buttons.evaluate_all("(ones) => ones.map((one) => one.getBoundingClientRect().right)")

    assert ends
    assert max(ends) <= 378 + 1
