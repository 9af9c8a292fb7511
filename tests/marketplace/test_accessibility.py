"""The pages that workers see at the marketplace under axe-core, light and dark, and at 320 pixels."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from marketplace import clock
from marketplace.models import Assignment
from marketplace.services.account import passwords
from marketplace.services.worker import tasks as taking
from tests.accessibility import Inspector
from tests.chromium import follow
from tests.marketplace.conftest import make_hit, make_type, work

pytestmark = [
    pytest.mark.soak,
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def address(live_server, settings) -> str:
    settings.PUBLIC_URL = f"http://127.0.0.1:{urlsplit(live_server.url).port}"
    settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
    return settings.PUBLIC_URL


@pytest.fixture
def page(window, address) -> Page:
    context = window(viewport={"width": 1280, "height": 800}, base_url=address)
    # The contents of a task's frame are not the marketplace's.
    context.route(lambda url: "/judge" in url, lambda route: route.fulfill(body="", content_type="text/html"))
    return context.new_page()


def sign_in(client, page: Page, worker) -> None:
    client.force_login(worker)
    cookies = [
        {"name": name, "value": morsel.value, "domain": "127.0.0.1", "path": "/"}
        for name, morsel in client.cookies.items()
    ]
    page.context.add_cookies(cookies)


def test_pages_before_signing_in_have_no_fault(page, ada):
    inspector = Inspector()
    for path in ("/signup/", "/signin/", "/password/", "/privacy/", "/invitation/nothing/", "/nowhere/"):
        page.goto(path)
        inspector.look(page, path)
    page.goto(passwords.password_link(ada))
    inspector.look(page, "a new password")
    page.goto("/signin/")
    page.get_by_label("Name").first.fill("nobody")
    page.locator("input[type=password]").fill("nothing")
    follow(page.locator("main button").first)
    inspector.look(page, "a wrong password")

    assert inspector.faults == []


def test_pages_of_a_worker_have_no_fault(page, client, ask, ada, settings):
    settings.PAYOUT_METHODS, settings.PAYOUT_DAY = ["bank transfer"], 1
    now = clock.now()
    told = "pairs:13, minutes:12, bonus:1.80, language:en, page-language:de"
    kinds = [make_type(ask, Title=title, Keywords=told) for title in ("Compare passages", "Read aloud")]
    for kind in kinds:
        for _ in range(3):
            make_hit(ask, kind, at=now)
    inspector = Inspector()
    sign_in(client, page, ada)
    for path in ("/done/", "/earnings/"):
        page.goto(path)
        inspector.look(page, f"{path} without anything")
    done = work(ada, kinds[0], at=now)
    ask("ApproveAssignment", at=now, AssignmentId=done)
    held = taking.take_task(ada, kinds[1], now).assignment_id

    places = ("/", "/done/", "/earnings/", "/qualifications/", "/account/", "/account/password/")
    places += ("/account/payout/", "/account/delete/")
    for path in (
        *places,
        f"/groups/{kinds[0]}/",
        f"/groups/{kinds[1]}/",
        f"/tasks/{held}/",
        f"/tasks/{done}/",
        f"/done/{done}/",
    ):
        page.goto(path)
        inspector.look(page, path)
    listed = {
        "Name": "No further",
        "Description": "It says nothing about you.",
        "QualificationTypeStatus": "Active",
    }
    listing = ask("CreateQualificationType", **listed)["QualificationType"]["QualificationTypeId"]
    spared = {"Comparator": "DoesNotExist", "ActionsGuarded": "DiscoverPreviewAndAccept"}
    hidden = make_type(
        ask, Title="Hidden", QualificationRequirements=[spared | {"QualificationTypeId": listing}]
    )
    make_hit(ask, hidden, at=now)
    grant = {"QualificationTypeId": listing, "WorkerId": ada.worker_id, "SendNotification": False}
    ask("AssociateQualificationWithWorker", at=now, **grant)
    told = (
        "A check pair was missed. What you submitted is paid.\n\nSay so: https://pages.example/judge/appeal/"
        + "x" * 90
    )
    ask("NotifyWorkers", at=now, Subject="No further tasks", MessageText=told, WorkerIds=[ada.worker_id])
    page.goto("/")
    expect(page.locator("[data-refused-by] [data-notice]")).to_be_visible()
    inspector.look(page, "home of somebody whose tasks are kept back")
    page.get_by_role("link", name="write to lab").first.click()
    page.get_by_label("Your message").fill("My receipt is W10-3.")
    page.get_by_role("button", name="Send to lab").click()
    expect(page.locator("#written")).to_contain_text("My receipt is W10-3.")
    inspector.look(page, "what was written to a requester")
    Assignment.objects.filter(assignment_id=held).delete()
    page.goto(f"/tasks/{held}/")
    inspector.look(page, "a task that is gone")

    assert inspector.faults == []
