"""Printed leaderboards, versions and query maps: without navigation, and nothing cut off."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
#: The width in pixels of A4 within margins of 15 mm.
A4 = 680
PAPER = "rgb(255, 255, 255)"


@pytest.mark.parametrize("page", ["leaderboard/", "versions/1/", "queries/map/"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_print_without_their_frame_and_whole(window, live_server, published, page, scheme):
    published.add_runs(17)
    shown = window(viewport={"width": A4, "height": 900}, color_scheme=scheme).new_page()
    shown.goto(f"{live_server.url}/collections/harbour/{page}")

    shown.emulate_media(media="print", color_scheme=scheme)

    assert shown.locator("h1").is_visible()
    assert shown.locator("main table").first.is_visible()
    for hidden in ("header.top", "footer.foot", "nav.tabs", "nav.crumbs", ".choose"):
        assert not shown.locator(hidden).first.is_visible(), hidden
    assert shown.evaluate("document.documentElement.scrollWidth") <= A4
    tables = "[...document.querySelectorAll('main .scroll')].map((one) => getComputedStyle(one).overflowX)"
    assert set(shown.evaluate(tables)) == {"visible"}
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") in (PAPER, "rgba(0, 0, 0, 0)")
    assert shown.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"


def test_figures_print_in_light_colors_as_wide_as_the_sheet(window, live_server, published):
    shown = window(viewport={"width": 1280, "height": 900}, color_scheme="dark").new_page()
    shown.goto(f"{live_server.url}/collections/harbour/leaderboard/")
    plot = shown.locator(".plot").first
    plot.wait_for()
    ink = "getComputedStyle(document.documentElement).getPropertyValue('--ink').trim()"
    wide = plot.evaluate("(one) => one.clientWidth")

    shown.evaluate("dispatchEvent(new Event('beforeprint'))")
    on_paper = shown.evaluate(ink)
    narrow = plot.evaluate("(one) => one.clientWidth")
    shown.evaluate("dispatchEvent(new Event('afterprint'))")

    assert (narrow, plot.evaluate("(one) => one.clientWidth")) == (640, wide)
    assert on_paper != shown.evaluate(ink)
    shown.emulate_media(media="print")
    assert plot.is_visible()
    assert not shown.locator("main input[type=checkbox]").first.is_visible()
    assert not shown.locator(".term").first.is_visible()
