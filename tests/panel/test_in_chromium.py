"""A participant in a real browser is redirected to the panel's site automatically, with the code, once."""

import pytest
from playwright.sync_api import expect

from tests.chromium import shared_chromium
from tests.panel.conftest import Effort
from tests.panel.panel import AWAITING_REVIEW, SITE

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


def test_the_last_page_redirects_once_and_then_waits_for_a_click(live_server, panel, settings, tmp_path):
    settings.PUBLIC_URL = live_server.url
    effort = Effort(panel, tmp_path)
    effort.launch()
    ann = effort.takes("ann")
    ann.begin()
    ann.judge()

    with shared_chromium() as browser:
        page = browser.new_page()
        seen = []

        def complete(route):
            seen.append(route.request.url)
            panel.come_back(ann.session, route.request.url)
            route.fulfill(content_type="text/html", body="<h1>Thank you from the panel</h1>")

        page.route(f"{SITE}/**", complete)
        page.goto(f"{live_server.url}{ann.page}")
        page.get_by_role("button", name="Submit task").click()
        expect(page.get_by_text("Thank you from the panel")).to_be_visible()

        page.goto(f"{live_server.url}{ann.page}")
        expect(page.locator("#completion-code")).to_have_text(panel.studies[effort.study].code)
        assert len(seen) == 1
        page.get_by_role("link", name="Go back to the task site").click()
        expect(page.get_by_text("Thank you from the panel")).to_be_visible()

    assert seen == [f"{SITE}/complete?code={panel.studies[effort.study].code}"] * 2
    assert panel.sessions[ann.session].state == AWAITING_REVIEW
