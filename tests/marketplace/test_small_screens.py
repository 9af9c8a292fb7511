"""The marketplace on a phone: a slim header, its menus, and one scrolling area."""

import pytest
from playwright.sync_api import Page, expect

from marketplace import clock
from marketplace.services.worker import tasks as taking
from tests.marketplace.conftest import make_hit, make_type
from tests.marketplace.test_accessibility import address, sign_in  # noqa: F401 -- a fixture

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
TALL = """<!doctype html><title>t</title><body style="margin: 0"><p style="height: 3000px">long</p>
<script>parent.postMessage({ height: document.body.offsetHeight }, "*");</script>"""
SCROLLS = "() => document.documentElement.scrollHeight > innerHeight + 1"


@pytest.fixture
def phone(window, address) -> Page:  # noqa: F811
    context = window(viewport={"width": 390, "height": 844}, base_url=address)
    context.route(
        lambda url: "/judge" in url, lambda route: route.fulfill(body=TALL, content_type="text/html")
    )
    return context.new_page()


def test_a_task_fills_the_window_below_a_slim_header(phone, client, ask, ada):
    now = clock.now()
    kind = make_type(ask, Title="Compare passages")
    make_hit(ask, kind, at=now)
    make_hit(ask, kind, at=now)
    sign_in(client, phone, ada)

    phone.goto(f"/groups/{kind}/")
    # The preview reports its height, so the page scrolls and its frame does not.
    expect(phone.locator("#preview-frame")).to_have_css("height", "3002px")
    assert phone.locator("header.bar").bounding_box()["height"] <= 56
    task = taking.take_task(ada, kind, now).assignment_id
    phone.goto(f"/tasks/{task}/")

    header, frame = (phone.locator(part).bounding_box() for part in ("header.bar", "#task-frame"))
    assert header["height"] <= 56
    assert frame["y"] + frame["height"] == 844
    assert frame["height"] >= 844 - 56
    assert not phone.evaluate(SCROLLS)
    phone.get_by_role("button", name="Menu", exact=True).click()
    expect(phone.locator("#menu").get_by_role("link", name="Contact and privacy")).to_be_in_viewport(ratio=1)
    expect(phone.locator("footer")).to_be_hidden()
    phone.keyboard.press("Escape")
    for button, inside in (("Task", "Return task"), ("Menu", "Sign out")):
        phone.get_by_role("button", name=button, exact=True).click()
        expect(phone.get_by_role("button", name=inside)).to_be_in_viewport(ratio=1)
        phone.keyboard.press("Escape")
        expect(phone.get_by_role("button", name=inside)).to_be_hidden()
    phone.get_by_role("button", name="Task", exact=True).click()
    phone.get_by_role("button", name="Return task").click()
    asked = phone.locator("#returning button").all()
    tops = [button.bounding_box()["y"] for button in asked if button.is_visible()]
    assert tops == sorted(set(tops))
    phone.get_by_role("button", name="Keep working").click()
    phone.set_viewport_size({"width": 1280, "height": 800})
    expect(phone.get_by_role("button", name="Return task")).to_be_in_viewport(ratio=1)
    expect(phone.get_by_role("button", name="Menu")).to_be_hidden()
    assert not phone.evaluate(SCROLLS)
