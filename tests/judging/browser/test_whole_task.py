"""A whole task in a sandboxed frame of another site, with third-party cookies blocked: mouse, keyboard, touch."""

import pytest
from django.db.models import Value
from django.db.models.functions import Concat
from playwright.sync_api import expect

from judging.models import Consent, Judgment, PairReport, Submission
from pooling.models import Passage
from tests.judging.browser.conftest import Reader
from tests.judging.browser.crowd_site import OPAQUE, SAME_ORIGIN, SANDBOXES

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
SET_A_COOKIE = """() => {
  try { document.cookie = "a=1; SameSite=None; Secure"; return document.cookie; } catch (error) { return "refused"; }
}"""


def all_is_recorded(reader: Reader) -> None:
    """Check that the choices are in the database, and that the crowd has the same answers."""
    submission, right = reader.place.visitor.submission, reader.place.right_choices()
    assert reader.place.choices() == right
    assert len(right) == 13
    form = {f"choice-{number}": side for number, side in right.items()}
    handed_in = reader.place.site.received[-1]
    assert {name: value for name, value in handed_in.items() if name.startswith("choice-")} == form
    assert handed_in["assignmentId"] == submission.assignment_id
    assert submission.state == Submission.State.FINISHED
    assert Judgment.objects.filter(submission=submission).count() == 10
    assert reader.complaints == []


@SANDBOXES
def test_whole_task_by_mouse(place, window, sandbox):
    reader = Reader(window(), place, sandbox)
    reader.begin()
    frame = reader.page.frames[1]
    assert frame.evaluate("() => self.origin") == ("null" if sandbox == OPAQUE else place.product)
    if sandbox == OPAQUE:
        assert frame.evaluate(SET_A_COOKIE) == "refused"

    reader.judge(1, 13)
    reader.send_off()

    all_is_recorded(reader)
    assert Consent.objects.get().submission == place.visitor.submission
    assert reader.page.context.cookies() == []


def test_whole_task_by_keyboard_alone(place, window):
    reader = Reader(window(), place)
    reader.open()
    expect(reader.frame.locator("#agree")).to_be_visible()
    press = reader.page.keyboard.press

    tab_to(reader, "agree")
    press("Enter")
    reader.shows("13 pairs")
    tab_to(reader, "begin")
    press("Enter")
    reader.shows("Pair 1 of 13")
    tab_to_choice(reader, 1, reader.better_side(1))
    press("Space")
    for number in range(2, 14):
        reader.shows(f"Pair {number} of 13")
        reader.press(number)
    reader.shows("All 13 pairs")
    press("Backspace")
    reader.shows("Pair 13 of 13")
    enter_sends_nothing_off(reader)
    tab_to(reader, "forward")
    press("Enter")
    reader.shows("All 13 pairs")
    tab_to(reader, "comment")
    reader.page.keyboard.type("Pair 1 was 2 short.")
    tab_to(reader, "send")
    press("Enter")
    reader.is_handed_in()

    all_is_recorded(reader)
    assert place.site.received[-1]["comment"] == "Pair 1 was 2 short."


def enter_sends_nothing_off(reader: Reader) -> None:
    """Check Enter where it would send a form: in a report it reports, on the keyboard checkbox it does nothing."""
    press = reader.page.keyboard.press
    _tab_until(reader, "one => one.matches('#pair-13 .report summary')")
    press("Enter")
    _tab_until(reader, "one => one.matches('#pair-13 .report input')")
    press("Space")
    press("Enter")
    expect(reader.frame.locator("#pair-13 .reported")).to_contain_text("Reported.")
    tab_to(reader, "keys")
    press("Enter")
    reader.shows("Pair 13 of 13")
    report = PairReport.objects.get()
    assert (report.slot.number, report.kind) == (13, PairReport.Kind.BROKEN)


def tab_to(reader: Reader, name: str) -> None:
    """Press Tab until the element with that id has the focus, and check that the focus is visible."""
    _tab_until(reader, f"one => one.id === '{name}'")
    assert reader.frame.locator(f"#{name}").evaluate("one => getComputedStyle(one).outlineStyle") != "none"


def tab_to_choice(reader: Reader, number: int, side: str) -> None:
    """Reach the choice of that side with Tab and arrows without choosing, and check that its button shows it."""
    # The choices are one tab stop. The browser decides which of them gets the focus.
    _tab_until(reader, f"one => one.name === 'choice-{number}'")
    focused = "() => document.activeElement.value"
    for _ in range(2):
        if reader.page.frames[1].evaluate(focused) != side:
            reader.page.keyboard.press("ArrowDown")
    assert reader.page.frames[1].evaluate(focused) == side
    assert reader.frame.locator(f"#pair-{number} input:checked").count() == 0
    label = reader.frame.locator(f"#pair-{number} label.choice").nth(int(side == "right"))
    assert label.evaluate("one => getComputedStyle(one).outlineStyle") != "none"


def _tab_until(reader: Reader, there: str) -> None:
    for _ in range(40):  # go around more than once if needed
        reader.page.keyboard.press("Tab")
        if reader.page.frames[1].evaluate(f"() => ({there})(document.activeElement)"):
            return
    raise AssertionError(f"the focus never comes to where {there}")


def test_keys_are_explained_and_can_be_switched_off(place, window):
    reader = Reader(window(), place, SAME_ORIGIN)
    reader.open()
    reader.frame.locator("#agree").click()
    expect(reader.frame.locator("#first")).to_contain_text("← or 1 chooses the first passage")
    reader.start()
    press = reader.page.keyboard.press

    tab_to(reader, "keys")
    press("Space")
    for key in ("1", "2", "ArrowRight", "Backspace"):
        press(key)
    reader.shows("Pair 1 of 13")
    assert reader.frame.locator("kbd:visible").count() == 0
    # Tab, arrows and the space bar still choose.
    tab_to_choice(reader, 1, "right")
    press("ArrowLeft")
    assert reader.page.frames[1].evaluate("() => document.activeElement.value") == "left"
    press("Enter")
    reader.shows("Pair 2 of 13")
    expect(reader.frame.locator("#saved")).to_have_text("saved just now")

    reader.page.reload()  # it is remembered if the frame has storage
    reader.shows("Pair 2 of 13")
    press("1")
    reader.shows("Pair 2 of 13")
    reader.frame.locator("#keys").check()
    reader.frame.locator(".question:visible").click()
    press("1")
    reader.shows("Pair 3 of 13")
    expect(reader.frame.locator("#saved")).to_have_text("saved just now")


@pytest.mark.soak
def test_whole_task_by_touch_on_a_narrow_screen(place, window):
    # As long as many passages on the web: about fourteen lines here.
    Passage.objects.update(text=Concat("text", Value(" and so on" * 50)))
    context = window(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    reader = Reader(context, place, SAME_ORIGIN)
    reader.open()
    reader.frame.locator("#agree").tap()
    reader.frame.locator("#begin").tap()

    for number in range(1, 14):
        reader.shows(f"Pair {number} of 13")
        side = reader.better_side(number)
        passages = reader.frame.locator(f"#pair-{number} .passage")
        above, below = passages.nth(0).bounding_box(), passages.nth(1).bounding_box()
        assert above["y"] + above["height"] <= below["y"]
        assert (above["x"], above["width"]) == (below["x"], below["width"])
        assert passages.nth(0).evaluate("one => one.scrollHeight - one.clientHeight") == 0
        reader.page.wait_for_timeout(450)  # two faster taps at one place count as a double tap
        reader.frame.locator(f"#pair-{number} label.choice").nth(int(side == "right")).tap()
    reader.shows("All 13 pairs")
    wider = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert reader.page.frames[1].evaluate(wider) == 0
    reader.frame.locator("#send").tap()
    reader.is_handed_in()

    all_is_recorded(reader)


def test_whole_task_without_scripts(place, window):
    reader = Reader(window(java_script_enabled=False), place)
    reader.open()
    reader.frame.locator("#agree").click()
    for number in range(1, 13):
        side = reader.better_side(number)
        reader.frame.locator(f"#pair-{number} input[value={side}]").check()
    reader.frame.locator("#send").click()

    expect(reader.frame.get_by_role("alert")).to_contain_text("1 pair has no choice")
    expect(reader.frame.locator("#left")).to_contain_text("You have until")
    reader.frame.locator("#pair-13 .report summary").click()
    reader.frame.locator("#pair-13 .report input").first.check()
    reader.page.keyboard.press("Enter")
    # Nothing else waits for a page that a key opens.
    expect(reader.frame.locator("#pair-13 .reported")).to_contain_text("Reported.")
    assert PairReport.objects.get().slot.number == 13
    side = reader.better_side(13)
    reader.frame.locator(f"#pair-13 input[value={side}]").check()
    reader.frame.locator("#send").click()
    reader.frame.locator("#submit-to-crowd").click()
    reader.is_handed_in()

    reader.complaints.clear()  # Chromium logs the page with the missing pairs (422)
    all_is_recorded(reader)
