"""Interruptions while judging: reloads, tabs, lost connections, double clicks, changes of mind."""

from decimal import Decimal

import pytest
from playwright.sync_api import expect

from judging.intake.collection import collect
from judging.models import Choice, Consent, Judgment, Submission
from judging.money.payments import pay_owed
from judging.page import page_limits
from judging.tasks.lease_ends import end_submission
from pooling.models import Passage, Query
from tests.judging.browser.conftest import Reader
from tests.judging.browser.crowd_site import SANDBOXES

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
MARKUP = (
    "</div></section><script>window.top.postMessage('run', '*'); window.run = 1</script>"
    "<img src=//outside.example/x onerror='window.run = 1'> &lt;b&gt; \"quoted\" 'single' {{ braces }} {% tag %}\n"
    "\u202eright to left\u202c \u0007 e\u0301 \U0001f9ea 日本語 עברית"
)
CHOOSE_AND_READ = """number => {
  document.querySelector(`#pair-${number} input[value=left]`).click();
  return document.querySelector("#trouble").textContent;
}"""

#: Press the button again, and wait longer than the page needs to send the form.
SEND_AGAIN = """async form => {
  form.requestSubmit(document.getElementById("send"));
  for (let asked = 0; asked < 3; asked += 1) await fetch(form.dataset.state, { credentials: "omit" });
}"""


def saved(reader: Reader) -> None:
    expect(reader.frame.locator("#saved")).to_have_text("saved just now")


def test_a_reload_continues_where_it_stopped(place, window):
    reader = Reader(window(), place)
    reader.begin()
    reader.judge(1, 3)
    saved(reader)

    reader.page.reload()

    reader.shows("Pair 4 of 13")
    reader.frame.get_by_role("button", name="Back").click()
    reader.shows("Pair 3 of 13")
    right = place.right_choices()[3]
    assert reader.frame.locator("#pair-3 input:checked").get_attribute("value") == right


@pytest.mark.soak
def test_two_tabs_lose_nothing_and_the_one_left_behind_says_what_happened(place, window):
    context = window()
    reader = Reader(context, place)
    reader.begin()
    other = Reader(context, place)
    other.open()
    other.start()

    reader.come_back()
    reader.judge(1, 2)
    saved(reader)
    other.come_back()
    other.judge(1, 1)
    saved(other)
    other.page.reload()
    other.shows("Pair 3 of 13")
    other.judge(3, 13)
    other.send_off()
    reader.come_back()
    reader.judge(3, 3)

    expect(reader.frame.locator("h1")).to_have_text("Thank you. One last step")
    assert place.choices() == place.right_choices()
    assert Choice.objects.count() == 13  # the same side for pair 1 in both tabs is one choice


@SANDBOXES
def test_three_pairs_without_a_connection_are_sent_when_it_is_back(place, window, sandbox):
    reader = Reader(window(), place, sandbox)
    reader.begin()
    reader.judge(1, 2)
    saved(reader)

    reader.page.context.set_offline(True)
    reader.judge(3, 5)
    expect(reader.frame.locator("#trouble")).to_contain_text("No connection. Not saved yet: 3.")
    reader.frame.locator("#leave").click()
    expect(reader.frame.locator("#trouble")).to_contain_text("what you are paid if you stop")
    expect(reader.frame.locator("#trouble")).to_contain_text("Not saved yet: 3.")
    expect(reader.frame.locator("#trouble")).not_to_contain_text("submit")
    # The count is updated before the next attempt, and judging more pairs cancels the stop.
    assert "Not saved yet: 4. Keep this page" in reader.page.frames[1].evaluate(CHOOSE_AND_READ, 6)
    assert len(place.choices()) == 2
    y = reader.frame.locator("#pair-7 label.choice").first.bounding_box()["y"]
    reader.page.context.set_offline(False)

    saved(reader)
    expect(reader.frame.locator("#trouble")).to_be_hidden()
    assert reader.frame.locator("#pair-7 label.choice").first.bounding_box()["y"] == y
    reader.shows("Pair 7 of 13")
    right = place.right_choices()
    assert place.choices() == {number: right[number] for number in range(1, 6)} | {6: "left"}


@pytest.mark.soak
@SANDBOXES
def test_sending_off_without_a_connection_waits_and_keeps_choices_and_comment(place, window, sandbox):
    reader = Reader(window(), place, sandbox)
    reader.begin()
    reader.judge(1, 12)
    saved(reader)
    reader.page.context.set_offline(True)
    reader.judge(13, 13)
    reader.frame.locator("#comment").fill("The last one was close.")

    reader.frame.locator("#send").click()
    expect(reader.frame.locator("#trouble")).to_contain_text("it submits the task when you are back online")
    assert len(place.choices()) == 12
    reader.page.context.set_offline(False)

    reader.is_handed_in()
    assert place.choices() == place.right_choices()
    place.visitor.submission.refresh_from_db()
    assert place.visitor.submission.comment == "The last one was close."


@pytest.mark.soak
def test_going_back_to_a_pair_cancels_the_submission(place, window):
    reader = Reader(window(), place)
    reader.begin()
    reader.judge(1, 12)
    saved(reader)
    reader.page.context.set_offline(True)
    reader.judge(13, 13)
    reader.frame.locator("#send").click()
    trouble = reader.frame.locator("#trouble")
    expect(trouble).to_contain_text("Not saved yet: 1.")
    expect(trouble).to_contain_text("If you go back to a pair, it is not submitted.")

    reader.frame.locator("#back").click()
    expect(trouble).not_to_contain_text("submit")
    expect(reader.frame.locator("#saved")).to_have_text("not submitted")
    reader.page.context.set_offline(False)

    saved(reader)
    better = place.right_choices()[13]
    other = "left" if better == "right" else "right"
    reader.frame.locator(f"#pair-13 label.choice:has(input[value={other}])").click()
    reader.send_off()
    assert place.choices()[13] == other


def test_submitting_twice_is_harmless(place, window):
    context = window()
    reader = Reader(context, place)
    reader.begin()
    reader.judge(1, 13)
    saved(reader)
    other = Reader(context, place)
    other.open()
    other.shows("All 13 pairs")

    reader.come_back()
    reader.frame.locator("#send").dblclick()
    reader.is_handed_in()
    other.come_back()
    other.frame.locator("#send").click()
    other.frame.locator("#submit-to-crowd").click()  # it is sent only once automatically
    other.is_handed_in()

    assert place.site.received == [place.site.received[0]] * len(place.site.received)
    assert Choice.objects.count() == 13
    assert Judgment.objects.count() == 10


def test_a_task_is_sent_once_while_its_answer_is_awaited(place, window):
    reader = Reader(window(), place)
    reader.begin()
    reader.judge(1, 13)
    saved(reader)
    held = []
    reader.page.route("**/finish", lambda route: held.append(route))
    with reader.page.expect_request("**/finish"):
        reader.frame.locator("#send").click()

    reader.frame.locator("#task").evaluate(SEND_AGAIN)

    assert len(held) == 1
    held[0].continue_()
    reader.is_handed_in()


@pytest.mark.soak
@SANDBOXES
def test_task_that_the_crowds_site_did_not_take_waits_for_a_button(place, window, sandbox):
    place.site.broken = True
    reader = Reader(window(), place, sandbox)
    reader.begin()
    reader.judge(1, 13)
    reader.frame.locator("#send").click()
    expect(reader.frame.get_by_role("heading", name="Not now")).to_be_visible()

    reader.page.reload()

    # Nothing more is sent automatically: the next step can be read, and the receipt kept.
    expect(reader.frame.get_by_role("heading", name="If the task site does not accept it")).to_be_visible()
    expect(reader.frame.locator("#receipt")).not_to_be_empty()
    expect(reader.frame.locator("#crowd[data-first]")).to_have_count(0)
    reader.frame.locator("#submit-to-crowd").click()
    expect(reader.frame.get_by_role("heading", name="Not now")).to_be_visible()
    place.site.broken = False
    reader.page.reload()
    reader.frame.locator("#submit-to-crowd").click()
    reader.is_handed_in()
    assert place.site.received[0]["assignmentId"] == place.visitor.submission.assignment_id


def test_leaving_at_pair_five_pays_for_four(crowd, campaign, place, window):
    reader = Reader(window(), place)
    reader.begin()
    reader.judge(1, 4)
    reader.shows("Pair 5 of 13")

    reader.frame.locator("#leave").click()
    expect(reader.frame.locator("main")).to_contain_text("4 of 13 pairs")
    # $0.20 for submitting, and 4 of 13 parts of the other $1.80.
    expect(reader.frame.locator("main")).to_contain_text("$0.76")
    reader.frame.locator("#go-on").click()
    reader.shows("Pair 5 of 13")
    reader.frame.locator("#leave").click()
    reader.frame.locator("#stop").click()
    reader.is_handed_in()
    collect(campaign)
    pay_owed(campaign)

    submission = place.visitor.submission
    assert (submission.state, submission.left_early) == (Submission.State.SUBMITTED, True)
    assert crowd.approvals == [submission.assignment_id]
    assert [bonus.amount for bonus in crowd.paid_bonuses] == [Decimal("0.56")]


def test_without_consent_nothing_is_shown_or_recorded(place, window):
    reader = Reader(window(), place)
    reader.open()

    expect(reader.frame.get_by_text("If you do not agree")).to_be_visible()

    assert reader.frame.locator(".passage").count() == 0
    assert (Consent.objects.count(), Choice.objects.count()) == (0, 0)


def test_preview_shows_the_task_and_sends_nothing(place, window):
    reader = Reader(window(), place)
    reader.open(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE", workerId="")

    expect(reader.frame.get_by_text("Preview.")).to_be_visible()
    for control in reader.frame.locator("button:visible, input:visible, label.choice:visible").all():
        control.click(force=True)

    posts = "form[method=post], button[type=submit]"
    assert reader.frame.locator(posts).count() == 0
    assert (Submission.objects.count(), Choice.objects.count()) == (0, 0)


def test_markup_scripts_and_odd_characters_are_text(place, window):
    Passage.objects.update(text=MARKUP)
    Query.objects.update(text=f"what is {MARKUP}")
    context = window()
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    reader = Reader(context, place)
    reader.begin()

    pair = reader.frame.locator("#pair-1")
    assert pair.locator(".passage").all_text_contents() == [MARKUP] * 2
    assert pair.locator(".question").text_content() == f"what is {MARKUP}"
    reader.judge(1, 1)
    saved(reader)

    assert reader.page.frames[1].evaluate("() => window.run") is None
    assert all(url.startswith((place.product, place.site.address, "data:")) for url in asked)
    assert reader.complaints == []
    assert Choice.objects.count() == 1


@pytest.mark.soak
def test_choices_that_come_too_fast_are_kept_and_sent_again(place, window, monkeypatch):
    reader = Reader(window(), place)
    reader.begin()
    waits = iter([1])
    monkeypatch.setattr(page_limits, "request_pause", lambda token: next(waits, 0))

    reader.judge(1, 3)
    saved(reader)

    assert next(waits, None) is None
    assert place.choices() == {number: place.right_choices()[number] for number in range(1, 4)}


def test_a_refused_report_takes_no_choice_with_it(place, window):
    context, held = window(), []
    reader = Reader(context, place)
    reader.begin()
    context.route("**/report", lambda route: held.append(route))
    with context.expect_event("request", lambda request: request.url.endswith("/report")):
        reader.frame.locator("#pair-1 .report summary").click()
        reader.frame.locator("#pair-1 .report input").first.check()
        reader.frame.get_by_role("button", name="Report pair 1").click()
    reader.judge(1, 2)
    assert place.choices() == {}

    refused = {"saved": False, "reason": "garbled", "message": "We could not read that"}
    held[0].fulfill(status=409, headers={"access-control-allow-origin": "*"}, json=refused)

    saved(reader)
    assert place.choices() == {number: place.right_choices()[number] for number in (1, 2)}
    expect(reader.frame.locator("#trouble")).to_contain_text("We could not read that")
    reader.frame.get_by_role("button", name="Back").click(click_count=1)
    reader.frame.get_by_role("button", name="Back").click()
    reader.shows("Pair 1 of 13")
    expect(reader.frame.locator("#pair-1 .reported")).to_contain_text("Your report was not saved")


def test_a_refused_choice_is_not_shown_as_made(place, window):
    context = window()
    reader = Reader(context, place)
    reader.begin()
    refused = {"saved": False, "reason": "garbled", "message": "We could not read that"}
    headers = {"access-control-allow-origin": "*"}
    context.route("**/save", lambda route: route.fulfill(status=409, headers=headers, json=refused), times=1)

    reader.judge(1, 1)

    expect(reader.frame.locator("#trouble")).to_contain_text("We could not read that")
    expect(reader.frame.locator("#pair-1 input:checked")).to_have_count(0)
    reader.judge(2, 2)
    saved(reader)
    assert list(place.choices()) == [2]


def test_an_old_window_of_a_returned_task_makes_way_at_the_first_choice(place, window):
    reader = Reader(window(), place)
    reader.begin()
    reader.judge(1, 2)
    saved(reader)
    end_submission(Submission.objects.get(), Submission.State.RETURNED)

    reader.click(3)

    expect(reader.frame.locator("h1")).to_have_text("This task was returned")
    expect(reader.frame.locator("main")).to_contain_text("it is not paid")
    assert Choice.objects.count() == 2
