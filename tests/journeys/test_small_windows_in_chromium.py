"""A task in the marketplace's frame, on a phone and zoomed in, with little time left."""

import pytest
from django.db.models import Value
from django.db.models.functions import Concat, Left
from playwright.sync_api import Locator, expect

from judging.models import Campaign
from pooling.models import Passage
from tests.journeys.person import Person
from tests.journeys.test_judging_in_chromium import GRADES, campaign

__all__ = ["campaign"]
pytestmark = [
    pytest.mark.soak,
    pytest.mark.browser,
    pytest.mark.journey,
    pytest.mark.django_db(transaction=True),
]
#: Window → the maximum height of the marketplace's header, and the minimum share that is left for reading.
WINDOWS = [
    pytest.param({"width": 390, "height": 844}, 56, 0.45, id="phone"),
    pytest.param({"width": 640, "height": 400}, 44, 0.4, id="200 %"),
    pytest.param({"width": 320, "height": 256}, 32, 0.4, id="400 %"),
]
IN_VIEW = """one => { const box = one.getBoundingClientRect();
  return box.height > 0 && box.top >= -0.5 && box.bottom <= innerHeight + 0.5; }"""
#: The pixels of the frame's window between its fixed header and its fixed footer.
FREE = """() => { const box = (part) => document.querySelector(part).getBoundingClientRect();
  const choices = getComputedStyle(document.querySelector('#pair-1 .choices')).position === 'sticky';
  return box(choices ? '#pair-1 .choices' : '.news').top - box('#pair-1 .question').bottom; }"""
SCROLLS = "() => document.documentElement.scrollHeight > innerHeight + 1"


def at_the_first_pair(window, address: str, size: dict[str, int]) -> Person:
    """Return a worker with little time left at the first pair of a task, with passages of about a hundred words."""
    # All of the same length, because any pair can come first.
    Passage.objects.update(text=Concat(Left("text", 150), Value(" " + "there are words " * 25)))
    Campaign.objects.update(assignment_seconds=280)
    person = Person(window(viewport=size, has_touch=True).new_page(), GRADES)
    person.sign_up(address, "martha")
    person.page.get_by_role("link", name="Which passage answers").click()
    person.page.get_by_role("button", name="Take a task for").click()
    person.frame.get_by_role("button", name="I agree").click()
    person.frame.get_by_role("button", name="Show first pair").click()
    expect(person.frame.locator("#hurry")).to_be_visible()
    return person


def scroll_to(part: Locator) -> None:
    part.evaluate("one => one.scrollIntoView({ block: 'center' })")


@pytest.mark.parametrize(("size", "header", "share"), WINDOWS)
def test_the_task_can_be_read_in_a_small_window_while_the_time_is_short(
    campaign, marketplace, window, size, header, share
):
    person = at_the_first_pair(window, marketplace["endpoint"], size)
    page, frame = person.page, person.frame

    bar, box = page.locator("header.bar").bounding_box(), page.locator("#task-frame").bounding_box()
    assert bar["height"] <= header
    assert box["y"] + box["height"] == size["height"]
    assert not page.evaluate(SCROLLS)
    assert frame.locator("html").evaluate("one => one.scrollWidth <= innerWidth")
    assert frame.locator(".passage").evaluate_all(
        "all => all.every(one => one.scrollHeight <= one.clientHeight + 1)"
    )
    for part in ("#pair-1 .passage >> nth=0", "#pair-1 .passage >> nth=1", "#pair-1 .report"):
        scroll_to(frame.locator(part))
        assert frame.locator("#hurry").evaluate(IN_VIEW)
        assert frame.locator("#more-time").evaluate(IN_VIEW)
    scroll_to(frame.locator("#pair-1 .passage").last)
    assert frame.locator("#pair-1 .question").evaluate(IN_VIEW)
    assert frame.locator("html").evaluate(FREE) >= share * size["height"]
    # Nothing shows through the fixed footer.
    ground = "one => getComputedStyle(one).backgroundColor"
    assert frame.locator(".news").evaluate(ground) == frame.locator("body").evaluate(ground)
    for part in ("#pair-1 .report summary", "#more-time", "#pair-1 label.choice >> nth=0"):
        frame.locator(part).tap(trial=True)


def test_on_a_phone_an_early_choice_scrolls_to_each_unread_passage(campaign, marketplace, window):
    person = at_the_first_pair(window, marketplace["endpoint"], {"width": 390, "height": 844})
    frame = person.frame
    choice = frame.locator("#pair-1 label.choice").first
    expect(frame.locator("#pair-1.held")).to_be_visible()

    assert choice.evaluate(IN_VIEW)
    for end in frame.locator("#pair-1 .end").all():
        if end.get_attribute("data-read") is None:
            choice.evaluate("one => one.click()")  # too early: this scrolls to the unread part
            expect(end).to_have_attribute("data-read", "")
            assert choice.evaluate(IN_VIEW)
    expect(frame.locator("#pair-1.held")).to_have_count(0)
    assert frame.locator("html").evaluate("() => scrollY") <= 844
    choice.tap()

    person.shows("Pair 2 of 13")
