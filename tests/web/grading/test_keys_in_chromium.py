"""Grades by single keys, and the switch that turns the keys off (WCAG 2.1.4)."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from judging.models import Grade

pytestmark = [
    pytest.mark.browser,
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]


def test_a_key_grades_unless_the_switch_is_off_and_the_page_remembers_it(window, live_server, cast):
    context = window()
    session = cast.clients["owner"].cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page = context.new_page()
    page.goto(live_server.url + reverse("web:assess", args=["harbour", "swell", cast.taken.pk]))
    switch = page.get_by_label("Use the keys shown on the buttons")

    switch.uncheck()
    page.keyboard.press("1")
    page.reload()
    expect(switch).not_to_be_checked()
    page.keyboard.press("1")
    page.wait_for_timeout(300)
    assert not Grade.objects.filter(item__assignment=cast.taken).exists()

    switch.check()
    # A second key before the next page is there must not decide about the same passage.
    page.evaluate(
        "for (const key of '10') document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))"
    )
    expect(page.locator(".progress .numbers")).to_contain_text("1 of 1 passage judged")
    assert Grade.objects.get(item__assignment=cast.taken).grade == 1
