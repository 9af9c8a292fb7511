"""The pair on a phone, at high zoom and in forced colors: it can be read, reached and distinguished."""

import pytest
from django.db.models import F, Value
from django.db.models.functions import Concat
from playwright.sync_api import Page, expect

from judging.models import Campaign
from pooling.models import Passage
from tests.judging.browser.conftest import Place, Reader

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
PHONE = {"width": 390, "height": 844}
#: 1,280 by 800 pixels at a zoom of 400%.
ZOOMED = {"width": 320, "height": 200}
IN_VIEW = """one => { const box = one.getBoundingClientRect();
  return box.height > 0 && box.top >= 0 && Math.round(box.bottom) <= innerHeight; }"""
HELD = "#pair-1.held"


def hundred_words() -> None:
    """Give every passage a hundred words of the usual length."""
    Passage.objects.update(text=Concat(F("text"), Value(" " + "there are words " * 33)))


def at_the_first_pair(place: Place, window, **options) -> Page:
    """Open the task in its own window, at its first pair."""
    place.visitor.begin()
    page = window(**options).new_page()
    page.goto(place.address())
    page.locator("#begin").click()
    expect(page.locator("#pair-1")).to_be_visible()
    return page


def test_two_passages_are_read_with_one_swipe_before_a_choice_counts(place: Place, window):
    hundred_words()
    page = at_the_first_pair(place, window, viewport=PHONE, has_touch=True)

    expect(page.locator(HELD)).to_be_visible()
    assert page.locator(".choices").first.evaluate(IN_VIEW)
    box = page.locator("#pair-1 label.choice").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator("#saved")).to_have_text("Read both passages to the end, then choose.")
    # The early click scrolled to the end of the unread part, by one swipe at most.
    assert page.evaluate("scrollY") <= PHONE["height"]
    expect(page.locator(HELD)).to_have_count(0)
    assert page.locator("#pair-1 .choices").evaluate(IN_VIEW)
    assert page.locator("#pair-1 .question").evaluate(IN_VIEW)
    page.locator("#pair-1 label.choice").first.click()

    expect(page.locator("#place-words")).to_have_text("Pair 2 of 13")
    expect(page.locator("#saved")).to_have_text("saved just now")
    assert list(place.choices()) == [1]


def test_a_tap_leaves_no_mark_on_the_same_side_of_the_next_pair(place: Place, window):
    page = at_the_first_pair(place, window, viewport=PHONE, has_touch=True, is_mobile=True)

    page.locator("#pair-1 label.choice").first.tap()
    expect(page.locator("#place-words")).to_have_text("Pair 2 of 13")

    # Until the next tap, a browser treats the last touched point as the pointer's position.
    page.evaluate("""() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync("#pair-2 label.choice:hover { scroll-margin-top: 7px }");
      document.adoptedStyleSheets = [sheet];
    }""")
    pretend_hover(page, "#pair-2 label.choice")
    first = page.locator("#pair-2 label.choice").first
    assert first.evaluate("one => getComputedStyle(one).scrollMarginTop") == "7px"
    grounds = "all => all.map((one) => getComputedStyle(one).backgroundColor)"
    assert len(set(page.locator("#pair-2 label.choice").evaluate_all(grounds))) == 1


def pretend_hover(page: Page, selector: str) -> None:
    """Style the first match as hovered: with touch emulation, versions of Chromium differ in moving the pointer."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    node = session.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    session.send("CSS.forcePseudoState", {"nodeId": node, "forcedPseudoClasses": ["hover"]})


@pytest.mark.soak
def test_a_passage_longer_than_the_screen_counts_once_it_was_scrolled_past(place: Place, window):
    Passage.objects.update(text="a long passage goes on and on " * 150)
    page = at_the_first_pair(place, window, viewport=PHONE)
    expect(page.locator(HELD)).to_be_visible()

    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(page.locator(HELD)).to_have_count(0)
    page.keyboard.press("2")

    expect(page.locator("#place-words")).to_have_text("Pair 2 of 13")
    expect(page.locator("#saved")).to_have_text("saved just now")
    assert page.evaluate("""() => [...document.querySelectorAll(".passage")].every(
      (one) => one.scrollHeight <= one.clientHeight + 1)""")


@pytest.mark.soak
def test_by_keyboard_the_first_attempt_scrolls_to_the_unread_part(place: Place, window):
    hundred_words()
    page = at_the_first_pair(place, window, viewport=PHONE)
    expect(page.locator(HELD)).to_be_visible()

    page.keyboard.press("1")
    expect(page.locator("#saved")).to_have_text("Read both passages to the end, then choose.")
    expect(page.locator("#free")).to_have_text("You can choose now.")
    page.keyboard.press("1")

    expect(page.locator("#place-words")).to_have_text("Pair 2 of 13")
    expect(page.locator("#saved")).to_have_text("saved just now")


@pytest.mark.soak
def test_side_by_side_a_pair_is_free_at_once(place: Place, window):
    hundred_words()
    page = at_the_first_pair(place, window, viewport={"width": 1280, "height": 800})

    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    assert page.locator("#pair-1").evaluate("one => !one.classList.contains('held')")
    assert page.locator("#pair-1 .choices").evaluate("one => !one.classList.contains('was-held')")


def test_at_four_hundred_percent_the_question_and_the_warning_stay_in_sight(place: Place, window):
    hundred_words()
    Campaign.objects.update(assignment_seconds=280)
    page = at_the_first_pair(place, window, viewport=ZOOMED)
    expect(page.locator("#hurry")).to_be_visible()

    for part in (".passage >> nth=0", ".passage >> nth=1"):
        page.locator(f"#pair-1 {part}").evaluate("one => one.scrollIntoView({ block: 'start' })")
        assert page.locator("#pair-1 .question").evaluate(IN_VIEW)
        assert page.locator("#hurry").evaluate(IN_VIEW)
    assert page.evaluate("document.documentElement.scrollWidth") <= ZOOMED["width"]
    # The fixed elements leave more than a third of the window for the text.
    stuck = [page.locator(part).bounding_box()["height"] for part in ("#pair-1 .question", ".news")]
    assert sum(stuck) < ZOOMED["height"] * 0.66


@pytest.mark.soak
def test_on_a_phone_the_warning_covers_no_choice(place: Place, window):
    hundred_words()
    Campaign.objects.update(assignment_seconds=280)
    page = at_the_first_pair(place, window, viewport=PHONE)

    warning, choices = page.locator("#hurry"), page.locator("#pair-1 .choices")
    for size in (PHONE, {"width": 1280, "height": 540}):
        page.set_viewport_size(size)
        expect(choices).to_be_in_viewport(ratio=1)
        assert warning.evaluate(IN_VIEW)
        assert choices.bounding_box()["y"] + choices.bounding_box()["height"] <= warning.bounding_box()["y"]


@pytest.mark.soak
def test_dots_differ_in_forced_colors(place: Place, window):
    page = at_the_first_pair(place, window, viewport={"width": 1280, "height": 800}, forced_colors="active")
    page.locator("#pair-1 label.choice").first.click()
    expect(page.locator("#dots li.done")).to_have_count(1)
    expect(page.locator("#saved")).to_have_text("saved just now")

    fills = page.locator("#dots li").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).backgroundColor)"
    )

    assert fills[0] != fills[2]
    assert len(set(fills[1:])) == 1


@pytest.mark.soak
def test_in_the_crowds_frame_a_pair_can_be_judged_too(place: Place, window):
    hundred_words()
    reader = Reader(window(viewport=PHONE), place)
    reader.begin()

    expect(reader.frame.locator(HELD)).to_be_visible()
    reader.click(1)

    reader.shows("Pair 2 of 13")
    expect(reader.frame.locator("#saved")).to_have_text("saved just now")
