"""Waiting pages show results automatically, and mark their tab in the background."""

import re

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from playwright.sync_api import expect

from tests.due_jobs import work_off_everything

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def waiting(page, live_server):
    """An administrator's list of collections while the sample is loading."""
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("ada"))
    client.post("/new-collection/sample")
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page.add_init_script(
        "Object.defineProperty(document, 'hidden', { get: () => sessionStorage.getItem('away') === 'yes' })"
    )
    page.goto(f"{live_server.url}/collections/")
    expect(page.get_by_role("status").last).to_contain_text("being loaded")
    return page


def test_the_sample_appears_automatically(waiting):
    work_off_everything()

    expect(
        waiting.get_by_role("region", name="Table of collections").get_by_role("link", name="sample")
    ).to_be_visible()


def test_the_home_page_of_an_empty_installation_shows_it_automatically(waiting, live_server):
    waiting.goto(f"{live_server.url}/")
    expect(waiting.get_by_role("heading", name="Getting started")).to_be_visible()

    work_off_everything()

    expect(waiting.get_by_role("heading", name="Getting started")).to_be_hidden()
    expect(waiting.get_by_role("link", name="The sample").first).to_be_visible()


@pytest.mark.soak
def test_a_tab_in_the_background_is_marked_and_shows_it_when_it_is_opened(waiting):
    waiting.evaluate("sessionStorage.setItem('away', 'yes')")
    work_off_everything()
    expect(waiting).to_have_title(re.compile("^✓"))

    assert "done" in waiting.locator("link[rel=icon]").get_attribute("href")
    waiting.evaluate(
        "() => { sessionStorage.setItem('away', 'no'); document.dispatchEvent(new Event('visibilitychange')); }"
    )
    expect(waiting.get_by_role("link", name="sample").first).to_be_visible()
    assert not waiting.title().startswith("✓")


@pytest.mark.soak
def test_a_page_states_that_it_stopped_updating_and_why(waiting):
    waiting.context.clear_cookies()
    waiting.route("**/collections/**", lambda route: route.fulfill(status=404, body="gone"))
    expect(waiting.locator("#stale")).to_contain_text("you were signed out, or this page is no longer there")

    waiting.unroute("**/collections/**")
    waiting.route("**/collections/**", lambda route: route.abort())
    expect(waiting.locator("#stale")).to_contain_text("the connection is lost")
