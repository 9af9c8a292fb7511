"""A person at the marketplace judges two tasks in a real browser, one by mouse, one by keyboard."""

import csv
from collections import Counter
from itertools import islice

import pytest
from playwright.sync_api import Browser, Page, expect

from config.settings import BASE_DIR
from judging.models import Campaign, Choice, PairReport
from pooling.models import Collection, Passage, Pool, PooledPassage, Qrel
from tests.chromium import shared_chromium
from tests.journeys.conftest import typed
from tests.journeys.person import Person, grades_of

pytestmark = [
    pytest.mark.soak,
    pytest.mark.browser,
    pytest.mark.journey,
    pytest.mark.django_db(transaction=True),
]
SAMPLE = BASE_DIR / "docs" / "sample"
GRADES = grades_of(SAMPLE / "queries.tsv", SAMPLE / "passages.tsv", SAMPLE / "grades.txt")


@pytest.fixture
def campaign(site) -> Campaign:
    """Two questions with five passages each: 20 pairs, two tasks; six gold pairs for one worker's two tasks."""
    files = ("--queries", SAMPLE / "queries.tsv", "--passages", SAMPLE / "passages.tsv")
    typed("import_collection", "meadow", *files, "--qrels", SAMPLE / "grades.txt", "--all-passages")
    collection = Collection.objects.get(name="meadow")
    labels = collection.qrel_sets.get()
    pool = Pool.objects.create(collection=collection, name="tops", qrel_set=labels)
    labeled = Counter(Qrel.objects.filter(qrel_set=labels).values_list("query_id", flat=True))
    for query, _ in islice(((query, n) for query, n in sorted(labeled.items()) if n >= 5), 2):
        for passage in Passage.objects.filter(pk__in=Qrel.objects.filter(query=query).values("passage"))[:5]:
            PooledPassage.objects.create(pool=pool, query_id=query, passage=passage, is_qrel=True)
    typed("create_campaign", "first", "--pool", "tops", "--max-tasks-per-worker", 2, "--seed", 7)
    typed("propose_gold", "first")
    typed("accept_gold", "first", "--all")
    typed("set_texts", "first", "--accept")
    typed("launch_campaign", "first", "--accept-weak-screening")
    return Campaign.objects.get(name="first")


def judge_by_mouse(person: Person) -> None:
    """Take a task, consent, judge 13 pairs with a reload and one change of mind, and submit it."""
    page, frame = person.page, person.frame
    page.get_by_role("link", name="Which passage answers").click()
    expect(page.frame_locator("#preview-frame").get_by_text("Preview.")).to_be_visible()
    page.get_by_label("Start the next task automatically").check()
    page.get_by_role("button", name="Take a task for $2.00").click()
    frame.get_by_role("button", name="I agree").click()
    expect(frame.get_by_text("how long do you boil an egg").nth(1)).to_be_visible()
    frame.get_by_role("button", name="Show first pair").click()
    for number in range(1, 6):
        person.shows(f"Pair {number} of 13")
        person.click(number)
    person.shows("Pair 6 of 13")
    expect(frame.locator("#saved")).to_have_text("saved just now")
    page.reload()
    person.shows("Pair 6 of 13")
    frame.get_by_role("button", name="Back").click()
    person.shows("Pair 5 of 13")
    person.seen.pop()
    person.click(5)
    for number in range(6, 14):
        person.shows(f"Pair {number} of 13")
        person.click(number)
    person.shows("All 13 pairs")
    frame.get_by_role("button", name="Submit task").click()


def judge_by_keyboard(person: Person) -> None:
    """Do the next task, which the marketplace takes automatically, without the mouse."""
    keyboard, frame = person.page.keyboard, person.frame
    frame.get_by_role("button", name="I agree").press("Enter")
    frame.get_by_role("button", name="Show first pair").press("Enter")
    for number in range(1, 14):
        person.shows(f"Pair {number} of 13")
        person.press(number)
    person.shows("All 13 pairs")
    keyboard.press("Tab")
    keyboard.type("The second text of pair 3 was hard to read.")
    keyboard.press("Tab")
    keyboard.press("Enter")


def test_a_person_judges_by_mouse_and_by_keyboard_and_the_export_has_it_all(campaign, marketplace, tmp_path):
    with shared_chromium() as browser:
        person = Person(browser.new_page(), GRADES)
        person.sign_up(marketplace["endpoint"], "martha")
        judge_by_mouse(person)
        expect(person.frame.get_by_role("button", name="I agree")).to_be_visible()
        judge_by_keyboard(person)
        expect(person.page.locator('[data-refusal="none_left"]')).to_be_visible()
    status = typed("collect", "first")
    exported = typed("export_judgments", "first", "--out", tmp_path / "judgments.tsv")

    lines = (tmp_path / "judgments.tsv").read_text().splitlines()
    rows = list(csv.DictReader(lines, delimiter="\t"))
    judgments = [row for row in rows if row["kind"] == "judgment"]
    gold = [row for row in rows if row["kind"] == "gold"]
    assert (len(judgments), len(gold)) == (exported["judgments"], exported["gold_answers"]) == (20, 6)
    assert len({frozenset((row["left"], row["right"])) for row in judgments}) == 20
    assert {(row["judge_kind"], row["counted"]) for row in judgments} == {("human", "1")}
    assert {row["gold_passed"] for row in gold} == {"1"}
    assert len({row["worker"] for row in rows}) == 1
    texts = dict(Passage.objects.filter(collection=campaign.collection).values_list("pid", "text"))
    read = sorted((left, right) for _, left, right in person.seen)
    assert sorted((texts[row["left"]], texts[row["right"]]) for row in rows) == read
    questions = dict(campaign.collection.queries.values_list("qid", "text"))
    for row in judgments:
        left, right = (GRADES[questions[row["topic"]], texts[row[side]]] for side in ("left", "right"))
        assert row["preferred"] == (row["right"] if right > left else row["left"])
    assert (status["judgments"]["counted"], status["tasks_by_state"]["done"]) == (20, 2)
    assert Choice.objects.count() == 26  # choosing the same side again is not a change
    assert campaign.submissions.exclude(comment="").get().comment.startswith("The second text of pair 3")
    assert [said for said in person.complaints if "409" not in said] == []


def window_of(person: Person, browser: Browser, *, agree: bool = True, stopped: bool = False) -> Page:
    """Take a task, consent, and open its pairs in a separate window, optionally with a stopped clock."""
    if agree:
        person.page.get_by_role("link", name="Which passage answers").click()
        person.page.get_by_role("button", name="Take a task for $2.00").click()
        person.frame.get_by_role("button", name="I agree").click()
    expect(person.frame.locator("#begin")).to_be_visible()
    page = browser.new_page()
    if stopped:
        page.clock.install()
    page.goto(person.frame.locator("body").evaluate("() => location.href"))
    if stopped:
        page.clock.pause_at(page.evaluate("(Date.now() + 500) / 1000"))
    page.locator("#begin").click()
    return page


@pytest.mark.one_database
def test_choices_made_without_a_connection_survive_a_reload(campaign, marketplace):
    with shared_chromium() as browser:
        person = Person(browser.new_page(), GRADES)
        person.sign_up(marketplace["endpoint"], "henry")
        page = window_of(person, browser)
        page.route("**/save", lambda route: route.abort())

        for number in range(1, 4):
            page.locator(f"#pair-{number} label.choice").first.click()
        expect(page.locator("#trouble")).to_contain_text("No connection")
        page.reload()
        expect(page.locator("#place-words")).to_have_text("Pair 4 of 13")
        page.unroute("**/save")

        expect(page.locator("#saved")).to_have_text("saved just now")
    assert sorted(Choice.objects.values_list("slot__number", "side")) == [
        (1, "left"),
        (2, "left"),
        (3, "left"),
    ]


def hidden_for(page: Page, milliseconds: int) -> None:
    """Put the window in the background for this long, by its own clock."""
    for hidden, passes in (("true", milliseconds), ("false", 0)):
        page.evaluate(
            f"Object.defineProperty(document, 'hidden', {{ get: () => {hidden}, configurable: true }})"
        )
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.clock.run_for(passes)


@pytest.mark.one_database
def test_two_windows_agree_and_a_slip_of_the_hand_chooses_nothing(campaign, marketplace):
    Campaign.objects.update(minimum_seconds=1, assignment_seconds=280)
    with shared_chromium() as browser:
        person = Person(browser.new_page(), GRADES)
        person.sign_up(marketplace["endpoint"], "ada")
        one = window_of(person, browser, stopped=True)
        other = window_of(person, browser, agree=False)
        expect(one.locator("#hurry")).to_contain_text("Less than five minutes are left")
        one.keyboard.press("1")
        expect(one.locator("#saved")).to_contain_text("Read both passages first")
        hidden_for(one, 4000)
        expect(one.locator("#pair-1.held")).to_have_count(1)
        one.clock.run_for(1250)
        one.keyboard.press("1")
        expect(one.locator("#place-words")).to_have_text("Pair 2 of 13")
        one.keyboard.down("1")
        one.clock.run_for(1250)
        one.keyboard.down("1")  # while it is held down, the browser repeats the key
        one.keyboard.up("1")
        expect(one.locator("#place-words")).to_have_text("Pair 2 of 13")
        one.locator("#pair-2 label.choice").first.dblclick()
        expect(one.locator("#place-words")).to_have_text("Pair 3 of 13")
        one.clock.resume()
        expect(one.locator("#saved")).to_have_text("saved just now")
        other.evaluate("window.dispatchEvent(new Event('focus'))")
        expect(other.locator("#saved")).to_have_text("Choices from another window are shown here.")
        other.wait_for_function("document.querySelector('#pair-2 [value=left]').checked")
        other.locator("#pair-1 label.choice").nth(1).click()
        expect(other.locator("#saved")).to_have_text("saved just now")
        one.locator("#pair-3 .report summary").click()
        one.get_by_label("Something else").locator("visible=true").check()
        one.locator("#report-words-3").fill("1 and 2 are the same")
        one.get_by_role("button", name="Report pair 3").click()
        expect(one.locator("#pair-3 .reported")).to_contain_text("Thank you")
    # The age of each pair's choice when sent, by the window's clock, which was stopped and moved.
    rows = Choice.objects.order_by("slot__number", "sequence").values_list(
        "slot__number", "side", "sequence", "input_method"
    )
    assert list(rows) == [(1, "left", 0, "keyboard"), (1, "right", 1, "mouse"), (2, "left", 0, "mouse")]
    first = Choice.objects.get(slot__number=1, sequence=0)
    assert (first.seconds_shown, first.seconds_hidden) == (1.25, 4.0)
    assert set(Choice.objects.values_list("viewport", flat=True)) == {"wide"}
    report = PairReport.objects.get()
    assert (report.slot.number, report.kind, report.words) == (3, "other", "1 and 2 are the same")
