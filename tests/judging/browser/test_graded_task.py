"""A task of single passages in the crowd's frame: grades by key, by mouse and without scripts; accessible."""

import pytest
from playwright.sync_api import expect

from judging.grading.graded_campaigns import GradingSettings, create_graded_campaign
from judging.models import GoldAnswer, Judgment
from pooling.models import Passage
from pooling.pools.pools import build_pool
from tests.accessibility import Inspector
from tests.factories import make_collection, make_run, passages_of
from tests.judging.browser.conftest import Place
from tests.judging.grading.test_crowd_grading import Reef
from tests.judging.visitor import Visitor

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def place(crowd, crowd_site, product, transactional_db) -> Place:
    collection = make_collection("reef", ["q1", "q2", "q3"])
    make_run(collection, "only", {qid: [f"{qid}-a", f"{qid}-b"] for qid in ("q1", "q2", "q3")})
    passages_of(
        collection,
        [f"{qid}-{letter}" for qid in ("q1", "q2", "q3") for letter in "ab"],
        lambda pid: Passage(collection=collection, pid=pid, text=f"What is {pid} about? " * 8),
    )
    pool = build_pool(collection=collection, name="depth", runs=list(collection.runs.all()), depth=10)
    grading = create_graded_campaign(pool=pool, name="graded", settings=GradingSettings())
    campaign = Reef(crowd, grading).opened(pairs_per_task=6, gold_per_task=2)
    place = Place(crowd_site, product, Visitor(crowd, campaign))
    crowd_site.when_received = lambda form: crowd.hand_in(place.visitor.taken, form)
    return place


#: The parts of the first passage's page that overlap the meaning of the grades.
COVERED = """() => {
  const box = (part) => document.querySelector(`#pair-1 ${part}`).getBoundingClientRect();
  const mine = box('.meaning');
  return ['.question', '.passage'].filter((part) => {
    const other = box(part);
    return mine.left < other.right && other.left < mine.right && mine.top < other.bottom && other.top < mine.bottom;
  });
}"""


def opened(place: Place, window, **options):
    """Return the task's frame, after consent."""
    page = window(**options).new_page()
    page.goto(place.site.framing(place.address()))
    frame = page.frame_locator("iframe")
    frame.locator("#agree").click()
    return page, frame


def test_grades_by_key_and_by_mouse(place, window):
    page, frame = opened(place, window)
    expect(frame.locator("h2", has_text="How to judge")).to_be_visible()
    expect(frame.locator("#first dl.levels")).to_contain_text("3 Perfectly relevant")
    expect(frame.locator("#first dl.levels")).to_contain_text("nothing to do with the question.")
    frame.locator("#begin").click()
    expect(frame.locator("#place-words")).to_have_text("Passage 1 of 8")
    expect(frame.locator("h1")).to_have_text("How well does the passage answer the question?")

    page.keyboard.press("7")  # no grade of the scale
    page.keyboard.press("ArrowRight")
    expect(frame.locator("#place-words")).to_have_text("Passage 1 of 8")
    for number, key in enumerate("0123", start=1):
        expect(frame.locator("#place-words")).to_have_text(f"Passage {number} of 8")
        page.keyboard.press(key)
    for number in range(5, 9):
        expect(frame.locator("#place-words")).to_have_text(f"Passage {number} of 8")
        frame.locator(f"#pair-{number} label.choice", has_text="Related").click()
    expect(frame.locator("#place-words")).to_have_text("All 8 passages")
    frame.locator("#send").click()
    expect(frame.locator("#handed-in")).to_be_visible()

    assert place.choices() == {1: "0", 2: "1", 3: "2", 4: "3", 5: "1", 6: "1", 7: "1", 8: "1"}
    assert place.site.received[-1]["choice-4"] == "3"
    assert Judgment.objects.filter(kind="grade").count() == 6
    assert GoldAnswer.objects.count() == 2


def test_a_form_without_scripts_sends_grades(place, window):
    _, frame = opened(place, window, java_script_enabled=False)
    for number in range(1, 9):
        frame.locator(f"#pair-{number} input[value='2']").check()
    frame.locator("#send").click()
    expect(frame.locator("#crowd")).to_be_attached()

    assert place.choices() == dict.fromkeys(range(1, 9), "2")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_passage_with_its_grades_is_accessible_and_fits(place, window, width):
    page = window(viewport={"width": width, "height": 844}).new_page()
    page.goto(place.address())
    page.locator("#agree").click()
    inspector = Inspector()
    inspector.look(page, "instructions with a scale")
    page.locator("#begin").click()
    expect(page.locator("#pair-1 .choices")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    inspector.look(page, "a passage with its grades")
    page.locator("#pair-1 .meaning summary").press("Enter")
    expect(page.locator("#pair-1 .meaning")).to_contain_text("a passage about the largest dog breeds")
    expect(page.locator("#pair-1 .choices")).to_be_in_viewport(ratio=1)
    assert page.evaluate(COVERED) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    inspector.look(page, "what the grades mean")
    assert inspector.faults == []
