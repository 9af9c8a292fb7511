"""Every state of a worker's page checked by axe-core, light and dark, and at 320 pixels."""

import re
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.test import RequestFactory
from playwright.sync_api import Page, expect

from config import clock
from judging.models import Appeal, Campaign, Submission
from judging.page.frame_views import for_sites_of, in_frame, refusal
from judging.page.trials import trial_link
from judging.people.appeal_answers import settle_report_or_appeal
from judging.people.exclusions import exclude_worker, reinstate_worker
from judging.rules.refusals import REFUSALS
from judging.workers.notices import appeal_link
from pooling.models import Collection, Passage, Query
from tests.accessibility import Inspector
from tests.judging.browser.conftest import Place

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def page(window) -> Page:
    page = window(viewport={"width": 1280, "height": 800}).new_page()
    # Otherwise the crowd's form would be sent automatically, and its page would be gone before the check.
    page.context.route("**/send*.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    return page


#: A pair with every possible element: held, long question, marked words, right to left, little time.
LOADED = {"mark_query_words": True, "minimum_seconds": 600}


def look_at_a_loaded_pair(page: Page, inspector: Inspector) -> None:
    """Go from the instructions to such a pair, and then to an ordinary one."""
    Campaign.objects.update(**LOADED)
    Submission.objects.update(ends_at=clock.now() + timedelta(seconds=280))
    Collection.objects.update(language="ar")
    Query.objects.update(text="ما هو هذا " * 200)
    Passage.objects.update(text="هذا هو النص.")
    page.reload()
    page.locator("#begin").click()
    expect(page.locator("#pair-1.held[data-slot]")).to_be_visible()
    expect(page.locator("#pair-1 .passage").first).to_have_attribute("dir", "rtl")
    expect(page.locator("#pair-1 input[value=left]")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#hurry")).to_be_visible()
    assert page.locator("mark").count()
    question = page.locator("#pair-1 .question")
    assert question.evaluate("one => one.scrollHeight > one.clientHeight && one.tabIndex === 0")
    # It stays true while the bar above counts, and an element that is reached by Tab shows focus.
    assert not re.search(r"\d", page.locator("#hurry").inner_text())
    page.keyboard.press("Tab")
    question.focus()
    assert question.evaluate("one => getComputedStyle(one).outlineStyle") != "none"
    inspector.look(page, "a held pair from right to left, words marked, a long question, the time short")
    Campaign.objects.update(minimum_seconds=0)
    Submission.objects.update(ends_at=clock.now() + timedelta(hours=1))
    page.reload()
    page.locator("#begin").click()


def test_the_inspector_sees_a_color_among_many_that_are_right(page: Page):
    rows = "".join(f"<li>row {number}</li>" for number in range(9))
    faint = "<li style='color: #ddd'>row 9</li>"
    page.set_content(
        f"<!doctype html><html lang=en><title>t</title><main><h1>t</h1><ul>{rows}{faint}{rows}</ul>"
    )
    inspector = Inspector()

    inspector.look(page, "rows")

    assert [fault.partition(" (")[0] for fault in inspector.faults] == [
        "rows, light: color-contrast",
        "rows, dark: color-contrast",
    ]
    assert all("row 9" in fault for fault in inspector.faults)


@pytest.mark.soak
def test_no_state_of_a_task_has_a_fault(place: Place, campaign: Campaign, page: Page):
    warned = {
        "minimum_age": 18,
        "content_warning": "Some passages speak of illness.",
        "ethics_approval": "Board, 17",
    }
    Campaign.objects.update(allow_undecided=True, **warned)
    inspector = Inspector()
    page.goto(place.address(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE"))
    inspector.look(page, "preview")
    page.goto(place.address())
    expect(page.locator("#content-warning")).to_be_visible()
    page.locator("input[name=of-age]").evaluate("box => box.removeAttribute('required')")
    page.locator("#agree").click()
    expect(page.locator("#age-missing")).to_be_visible()
    inspector.look(page, "consent with a warning, the age not confirmed")
    page.locator("input[name=of-age]").check()
    page.locator("#agree").click()
    expect(page.locator("#begin")).to_be_visible()
    inspector.look(page, "before the first pair")

    look_at_a_loaded_pair(page, inspector)
    page.locator("details.help summary").click()
    inspector.look(page, "instructions")
    page.locator("details.help summary").click()
    page.locator("#pair-1 label.choice").first.click()
    expect(page.locator("#saved")).to_have_text("saved just now")
    page.locator("#back").click()
    page.locator("#pair-1 .report summary").click()
    inspector.look(page, "a pair with its choice, and a report")
    page.context.set_offline(True)
    page.locator("#pair-1 label.choice").nth(1).click()
    expect(page.locator("#trouble")).to_be_visible()
    inspector.look(page, "without a connection")
    page.context.set_offline(False)
    expect(page.locator("#trouble")).to_be_hidden()
    for number in range(2, 14):
        page.locator(f"#pair-{number} label.choice").last.click()
    expect(page.locator("#saved")).to_have_text("saved just now")
    inspector.look(page, "send off")
    page.locator("#back").click()
    page.locator("#leave").click()
    expect(page.locator("#stop")).to_be_visible()
    inspector.look(page, "leave")
    page.locator("#stop").click()
    expect(page.locator("#submit-to-crowd")).to_be_visible()
    page.reload()
    expect(page.locator("#sent-before")).to_be_visible()
    inspector.look(page, "the last step, for the second time")

    assert inspector.faults == []


def test_page_in_german_has_no_fault_and_its_script_says_german(place: Place, page: Page):
    Campaign.objects.update(language="de")
    inspector = Inspector()

    place.visitor.begin()
    page.goto(place.address())
    page.locator("#begin").click()
    expect(page.locator("#place-words")).to_have_text("Paar 1 von 13")
    page.locator("#pair-1 label.choice").first.click()
    expect(page.locator("#saved")).to_have_text("gerade gespeichert")
    inspector.look(page, "a pair in German")

    assert inspector.faults == []


def test_the_plain_form_has_no_fault(place: Place, page: Page):
    inspector = Inspector()
    page.context.route("**/static/judging/*.js", lambda route: route.abort())
    place.visitor.begin()
    page.goto(place.address())
    inspector.look(page, "plain form")
    page.locator("#send").click()
    expect(page.get_by_role("alert").first).to_contain_text("no choice")
    inspector.look(page, "what is missing")

    assert inspector.faults == []


def test_a_trial_has_no_fault(place: Place, campaign: Campaign, page: Page):
    inspector = Inspector()
    page.goto(place.product + urlsplit(trial_link(campaign).url).path)
    inspector.look(page, "trial")
    page.locator("#begin").click()
    page.locator("#agree").click()
    page.locator("#begin").click()
    expect(page.locator("#pair-1")).to_be_visible()
    inspector.look(page, "a pair of a trial")
    page.locator("#pair-1 label.choice").first.click()
    page.locator("#leave").click()
    page.locator("#stop").click()
    expect(page.locator("#trial-done")).to_be_visible()
    inspector.look(page, "trial done")

    assert inspector.faults == []


@pytest.mark.soak
def test_every_refusal_shows_in_the_frame_and_has_no_fault(
    place: Place, campaign: Campaign, page: Page, window
):
    """Check every refusal as the server words it, in the crowd's frame and alone. See also test_refusal_pages."""
    place.visitor.begin()
    worker, inspector, framed = place.visitor.submission.worker, Inspector(), window().new_page()
    address = f"{place.product}/judge/refusal/"
    frames, shapes = place.site.framing(address), set()

    for reason, words in REFUSALS.items():
        request = RequestFactory().get("/judge/refusal/")
        for_sites_of(campaign, request)
        # Every page with a known worker has a form for objections, and a way out of the task.
        more = {"worker": worker, "leave": "token"} if words.appeal else {}
        response = in_frame(refusal)(request, reason, **more)
        shape = _shape(response.content.decode())
        for window_ in (page.context, framed.context):
            window_.unroute_all()
            window_.route(address, _shows(response))
        framed.goto(frames)
        expect(framed.frame_locator("#task-frame").locator(f"main[data-reason={reason}]")).to_be_visible()
        if shape not in shapes:  # check the same elements with other words once
            shapes.add(shape)
            page.goto(address)
            inspector.look(page, reason)

    assert inspector.faults == []


def _shape(page: str) -> str:
    """Return the page's elements without their text and without names of the reason."""
    return re.sub(r'>[^<]+<|"[^"]*"', "><", page)


def _shows(response):
    headers = {name.lower(): words for name, words in response.items()}

    def show(route) -> None:
        route.fulfill(status=response.status_code, headers=headers, body=response.content)

    return show


@pytest.mark.soak
def test_from_the_message_to_the_appeal_to_its_answer_has_no_fault(
    place: Place, campaign: Campaign, page: Page
):
    place.visitor.begin()
    worker = place.visitor.submission.worker
    exclude_worker(campaign, worker, why="a gold pair was missed")
    inspector = Inspector()

    page.goto(place.address())
    expect(page.get_by_role("button", name="Show what it pays")).to_be_visible()
    page.get_by_label("Tell the requester").fill("I read every word.")
    page.get_by_role("button", name="Send to the requester").click()
    expect(page.locator("#answer-at a")).to_be_visible()
    expect(page.get_by_role("button", name="Show what it pays")).to_be_visible()
    inspector.look(page, "objected with a task open")
    page.goto(appeal_link(campaign, worker))
    inspector.look(page, "the page to object on")
    page.get_by_label("Tell the requester").fill("The text was cut off.")
    page.get_by_role("button", name="Send to the requester").click()
    expect(page.locator("main[data-appeal=waiting]")).to_be_visible()
    inspector.look(page, "objected")
    settle_report_or_appeal(
        campaign, f"a{Appeal.objects.get(came_by='').pk}", why="You are right.\nThe pair is dropped."
    )
    page.goto(appeal_link(campaign, worker))
    expect(page.locator("#answer")).to_contain_text("You are right.")
    inspector.look(page, "the answer")
    reinstate_worker(campaign, worker, why="the pair was bad")
    page.reload()
    expect(page.get_by_role("heading", name="You can take tasks again")).to_be_visible()

    assert inspector.faults == []
