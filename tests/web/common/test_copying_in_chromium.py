"""Buttons copy the text beside them."""

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.one_database, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

COPIED = """Object.defineProperty(navigator, "clipboard", {
  value: { writeText: async (text) => { window.copied = text } }
})"""


def test_the_link_of_an_invitation_is_copied(cast, window, live_server):
    context = window()
    session = cast.clients["owner"].cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    context.add_init_script(COPIED)
    page = context.new_page()
    page.goto(f"{live_server.url}/collections/harbour/members/")
    page.get_by_label("Name or e-mail address").fill("new@example.org")
    page.get_by_role("button", name="Add", exact=True).click()

    page.get_by_role("button", name="Copy link").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("window.copied") == page.locator(".secret").inner_text()
    assert "/accounts/invitations/" in page.evaluate("window.copied")
