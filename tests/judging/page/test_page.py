"""The judging page: what it requests and records, and workers' comments, reports and appeals."""

import re
from datetime import timedelta
from hashlib import sha256
from urllib.parse import urlencode, urlsplit

import pytest
import time_machine

from config import clock
from judging.campaign.worker_texts import agreed_text
from judging.models import Appeal, Campaign, Choice, Consent, ConsentText, PairReport, Submission
from judging.page import session
from judging.simulation.browser import Browser, hang_up
from judging.tasks.answers import final_choices
from judging.workers.identities import crowd_namespace, declare_simulated
from pooling.models import Collection, Passage
from tests.judging.visitor import Visitor, text

pytestmark = pytest.mark.usefixtures("crowd_site")


# Consent and instructions.


def test_consent_keeps_the_very_text_that_was_shown_and_its_hash(crowd, fair):
    campaign = fair.opened(
        content_warning="Some passages speak of illness.", ethics_approval="Board of Ethics, 17/2026"
    )
    martha = Visitor(crowd, campaign)

    page = text(martha.arrive())
    martha.client.post(f"{martha.page}consent")

    agreed = ConsentText.objects.get()
    assert Consent.objects.get().text_sha256 == agreed.sha256 == sha256(agreed.text.encode()).hexdigest()
    assert agreed.text == agreed_text(campaign, pairs=5)
    for words in ("There are 5 pairs.", "Some passages speak of illness.", "Board of Ethics, 17/2026"):
        assert words in agreed.text
        assert words in page


def test_consent_text_says_everything_that_is_recorded(campaign):
    told = agreed_text(campaign)

    for words in ("worker id", "opened this task", "agreed and to which text", "submitted it", "changes of choice",
                  "which side", "how long it was on your screen", "in the background", "how often you left it",
                  "mouse, touch or keyboard", "side by side", "pasted", "report",
                  "If your times look unusual, a person may review them"):  # fmt: skip
        assert words in told


@pytest.mark.parametrize(("language", "age", "closing"), [
    ("en", 0, "Continue only if you are of age and agree to this."),
    ("en", 16, "Continue only if you are at least 16 years old and agree to this."),
    ("de", 16, "Fahren Sie nur fort, wenn Sie mindestens 16 Jahre alt sind und zustimmen."),
])  # fmt: skip
def test_the_closing_sentence_has_the_campaigns_age_and_stands_last(crowd, fair, language, age, closing):
    campaign = fair.opened(language=language, minimum_age=age, ethics_approval="Board of Ethics, 17/2026")
    page = text(Visitor(crowd, campaign).arrive())

    places = [page.index(words) for words in ("17/2026", "UTC", closing, 'id="agree"')]
    assert places == sorted(places)
    assert page.count(closing) == 1
    assert "18 years" not in page
    agreed = agreed_text(campaign)
    assert agreed.index("17/2026") < agreed.index(closing)


def test_age_is_confirmed_where_the_campaign_asks(crowd, fair):
    martha = Visitor(crowd, fair.opened(minimum_age=18))
    martha.arrive()

    without = martha.client.post(f"{martha.page}consent")
    assert without.status_code == 422
    assert "Confirm your age" in text(without)
    assert not Consent.objects.exists()
    martha.client.post(f"{martha.page}consent", {"of-age": "yes"})

    assert Consent.objects.get().age_confirmed == 18
    assert ConsentText.objects.get().text.endswith("I am at least 18 years old.")


def test_instructions_with_the_example_come_before_the_first_pair_and_stay_at_hand(martha):
    before = text(martha.begin())
    martha.save()
    after = text(martha.client.get(martha.page))

    assert before.index('id="first"') < before.index('id="pair-1"')
    assert before.count('<figure class="example">') == 2
    assert 'id="first"' not in after
    assert after.count('<figure class="example">') == 1


def test_nothing_is_saved_or_sent_off_before_consent(martha):
    martha.arrive()

    assert martha.save().json()["reason"] == "no-consent"
    assert "Before you begin" in text(martha.finish())
    assert not Choice.objects.exists()
    assert martha.submission.state == Submission.State.HELD


def test_preview_has_sample_pairs_of_no_campaign_and_the_time_for_a_task(martha):
    page = text(martha.arrive(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE"))

    assert page.count('<section class="pair">') == 2
    assert "The time limit is 1 hour." in page
    assert not any(passage.text in page for passage in Passage.objects.all())


# How passages are shown.


def test_texts_have_the_collections_language_and_direction(crowd, fair):
    campaign = fair.opened()
    Collection.objects.update(language="fa-IR")

    page = text(Visitor(crowd, campaign).begin())

    assert len(re.findall(r'class="passage" role="group" lang="fa-IR" dir="rtl"', page)) == 10
    assert len(re.findall(r'class="question" id="question-\d" lang="fa-IR" dir="rtl"', page)) == 5


@pytest.mark.parametrize("wanted", [False, True])
def test_words_of_the_question_are_marked_on_both_sides_when_the_campaign_says_so(crowd, fair, wanted):
    campaign = fair.opened(mark_query_words=wanted)
    Passage.objects.update(text="Eggs & <mark>: an egg.")
    campaign.collection.queries.update(text="how to boil an egg")

    page = Visitor(crowd, campaign).begin().content.decode()

    passages = re.findall(r'<div class="passage"[^>]*>(.*?)</div>', page)
    expected = "Eggs &amp; &lt;mark&gt;: an " + ("<mark>egg</mark>." if wanted else "egg.")
    assert passages == [expected] * 10


# Time.


def test_a_pair_can_be_answered_only_after_the_campaigns_least_time(crowd, fair):
    martha = Visitor(crowd, fair.opened(minimum_seconds=5))
    now = clock.now()
    with time_machine.travel(now, tick=False):
        martha.begin()
        refused = martha.save().json()
    with time_machine.travel(now + timedelta(seconds=5), tick=False):
        first, second = martha.save().json(), martha.save(slot="2").json()
        changed = martha.save(side="right", sequence="1").json()
    with time_machine.travel(now + timedelta(hours=5), tick=False):
        slow = martha.save(slot="2").json()

    assert (refused["reason"], refused["wait"]) == ("too-soon", 5.0)
    assert (first, changed, slow) == ({"saved": True},) * 3
    assert second["wait"] == 5.0


def test_a_choice_slightly_too_early_must_wait(crowd, fair):
    martha = Visitor(crowd, fair.opened(minimum_seconds=5))
    now = clock.now()
    with time_machine.travel(now, tick=False):
        martha.begin()
    with time_machine.travel(now + timedelta(seconds=4.98), tick=False):
        refused = martha.save().json()
    with time_machine.travel(now + timedelta(seconds=4.98 + refused["wait"]), tick=False):
        saved = martha.save().json()

    assert refused["wait"] == 0.1
    assert saved == {"saved": True}


def test_plain_form_sent_too_soon_keeps_its_choices_and_says_how_long_to_wait(crowd, fair):
    martha = Visitor(crowd, fair.opened(minimum_seconds=2))
    now = clock.now()
    with time_machine.travel(now, tick=False):
        martha.begin()
        early = martha.finish(comment="quick")
    with time_machine.travel(now + timedelta(seconds=10), tick=False):
        done = martha.finish()

    assert early.status_code == 422
    assert "try again in 10 seconds" in text(early)
    assert text(early).count(" checked") == 5
    assert "quick" in text(early)
    assert "One last step" in text(done)
    assert set(Choice.objects.values_list("input_method", flat=True)) == {"form"}


def test_time_for_the_task_is_said_in_words(crowd, fair):
    martha = Visitor(crowd, fair.opened(assignment_seconds=2700))

    assert "45 minutes from now" in text(martha.arrive())
    page = text(martha.begin())
    assert "45 minutes from now" in page
    assert 2600 < int(re.search(r'data-left="(\d+)"', page).group(1)) <= 2700


# What is recorded, and in which order.


def test_how_a_choice_came_about_is_recorded_and_nonsense_is_not(martha):
    martha.begin()
    martha.save(seconds="7.5", hidden="30", lost="2", input="keyboard", viewport="narrow")
    martha.save(slot="2", hidden="x", lost="-3", input="telepathy", viewport="<b>")

    rows = Choice.objects.order_by("slot__number").values_list(
        "seconds_shown", "seconds_hidden", "focus_lost", "input_method", "viewport"
    )
    assert list(rows) == [(7.5, 30.0, 2, "keyboard", "narrow"), (2.5, None, 0, "", "")]


def test_an_older_choice_that_waited_for_a_connection_does_not_undo_a_newer_one(martha):
    now = clock.now()
    with time_machine.travel(now, tick=False):
        martha.begin()
    with time_machine.travel(now + timedelta(seconds=300), tick=False):
        martha.save(side="right")
    with time_machine.travel(now + timedelta(seconds=400), tick=False):
        martha.save(side="left", age="250")
        state = martha.client.get(f"{martha.page}state")

    assert state.json()["choices"]["1"] == ["right", 2]
    assert [choice.side for choice in final_choices(martha.submission).values()] == ["right"]
    assert Choice.objects.get(side="left").chosen_at == now + timedelta(seconds=150)


def test_choices_of_one_page_keep_their_order_whatever_their_clock_says(martha):
    martha.begin()
    martha.save(side="left", age="0")
    martha.save(side="right", sequence="1", age="86400")

    assert session.choices_made(martha.submission)[1] == ("right", 2)
    assert Choice.objects.earliest("chosen_at").chosen_at >= martha.submission.opened_at


def test_state_returns_saved_choices_and_the_time_left_or_the_reason_for_the_end(martha):
    martha.begin()
    martha.save(slot="2", side="right")

    known = martha.client.get(f"{martha.page}state")
    martha.do_task()
    over = martha.client.get(f"{martha.page}state")

    assert known["Access-Control-Allow-Origin"] == "*"
    assert set(known.json()) == {"choices", "left"}
    assert known.json()["choices"] == {
        "1": ["", 0],
        "2": ["right", 1],
        "3": ["", 0],
        "4": ["", 0],
        "5": ["", 0],
    }
    assert 3500 < known.json()["left"] <= 3600
    assert (over.status_code, over.json()["reason"], over.json()["over"]) == (409, "finished", True)


@pytest.mark.parametrize(
    ("settings_of", "doubt"), [({}, "about the bonus."), ({"pay": "whole"}, "about the pay.")]
)
def test_the_last_page_names_the_pay_before_the_task_is_submitted(crowd, fair, settings_of, doubt):
    martha = Visitor(crowd, fair.opened(**settings_of))

    last = text(martha.begin()).split('id="last"')[1].split("</section>")[0]

    assert "You are paid <strong>$2.00</strong> for this task. If you judge faster" in last
    assert f"the requester decides {doubt}" in last
    assert last.index("$2.00") < last.index("Submit task")


def test_stopping_names_pairs_left_out_only_if_there_are_some(martha):
    martha.begin()
    choices = martha.choices()
    some = text(martha.client.post(f"{martha.page}leave", dict(list(choices.items())[:1])))
    assert "The pairs you leave out are offered to somebody else." in some

    every = text(martha.client.post(f"{martha.page}leave", choices))

    assert "The pairs you leave out" not in every
    assert "After submitting, you cannot change your choices" in every


def test_pasting_into_the_comment_is_noted_also_by_the_way_of_stopping_early(martha):
    martha.begin()
    one = dict(list(martha.choices().items())[:1])
    asked = martha.client.post(f"{martha.page}leave", {**one, "comment": "hm", "pasted": "1"})
    assert 'name="pasted"' in text(asked)
    martha.client.post(f"{martha.page}leave", {"comment": "hm", "pasted": "1", "confirmed": "1"})

    assert martha.submission.comment_pasted


# What workers say.


def test_a_report_by_script_is_kept_once_with_its_pair(martha):
    martha.begin()
    for words in ("", "half of it is missing\x00"):
        reply = martha.client.post(f"{martha.page}report", {"slot": "2", "kind": "broken", "words": words})
        assert reply.json() == {"saved": True}
        assert reply["Access-Control-Allow-Origin"] == "*"

    report = PairReport.objects.get()
    assert (report.slot.number, report.kind, report.words) == (2, "broken", "half of it is missing")
    assert "Reported." in text(martha.client.get(martha.page)).split('id="pair-2"')[1].split("</section>")[0]


@pytest.mark.parametrize("fields", [{"slot": "9"}, {"kind": "boring"}, {"kind": ""}, {"slot": "x"}])
def test_garbage_in_a_report_is_refused_and_records_nothing(martha, fields):
    martha.begin()

    reply = martha.client.post(f"{martha.page}report", {"slot": "1", "kind": "broken"} | fields)

    assert (reply.status_code, reply.json()["reason"]) == (409, "garbled")
    assert not PairReport.objects.exists()


def test_a_report_by_the_plain_form_keeps_choices_and_comment(martha):
    martha.begin()
    form = {"choice-1": "left", "comment": "so far", "report": "3"}

    unnamed = martha.client.post(f"{martha.page}report", form)
    named = martha.client.post(
        f"{martha.page}report", form | {"report-kind-3": "other", "report-words-3": "<b>odd</b>"}
    )
    page = text(martha.client.get(martha.page))

    assert unnamed.status_code == 422
    assert "Choose what is wrong" in text(unnamed)
    assert named["Location"].endswith("#pair-3")
    assert PairReport.objects.get().words == "<b>odd</b>"
    assert page.count(" checked") == 1
    assert "so far" in page


def test_a_report_by_the_plain_form_is_taken_when_it_is_too_early_to_judge(crowd, fair):
    martha = Visitor(crowd, fair.opened(minimum_seconds=60))
    martha.begin()
    said = {"report-kind-1": "broken", "report-words-1": "cut off"}

    hurried = martha.client.post(f"{martha.page}report", {"choice-1": "left", "report": "1"} | said)
    unnamed = martha.client.post(f"{martha.page}report", {"report": "2", "report-words-2": "which <kind>?"})

    assert "too quick to have read both passages" in text(hurried)
    assert "Reported. Thank you" in text(hurried)
    assert PairReport.objects.get().words == "cut off"
    assert "which &lt;kind&gt;?</textarea>" in unnamed.content.decode()


def test_no_report_on_a_task_that_is_over(martha):
    martha.do_task()

    reply = martha.client.post(f"{martha.page}report", {"slot": "1", "kind": "broken"})

    assert reply.json()["reason"] == "finished"


def test_an_excluded_worker_appeals_once_in_a_few_words(crowd, fair):
    campaign = fair.opened(contact="ada@lab.example")
    Visitor(crowd, campaign).fail()
    martha = Visitor(crowd, campaign)
    refused = text(martha.arrive())
    action = re.search(r'action="(/judge/appeal/[^"]+)"', refused).group(1)

    empty = martha.client.post(action, {"words": " "})
    sent = martha.client.post(action, {"words": "The text was <cut> off."})
    martha.client.post(action, {"words": "again"})
    again = text(martha.arrive())

    assert "Questions? Write to ada@lab.example." in refused
    assert "Write a few words" in text(empty)
    assert "was sent to the requester" in text(sent)
    assert "X-Frame-Options" not in sent
    appeal = Appeal.objects.get()
    assert (appeal.refusal, appeal.words) == ("excluded", "The text was <cut> off.")
    assert "The text was &lt;cut&gt; off." in martha.arrive().content.decode()
    assert 'action="/judge/appeal/' not in again
    assert "You are paid for submitted work as promised" in text(sent)


def test_a_forged_appeal_leads_nowhere(crowd, fair):
    martha = Visitor(crowd, fair.opened())

    reply = martha.client.post("/judge/appeal/x~y/", {"words": "let me in"})

    assert reply.status_code == 404
    assert not Appeal.objects.exists()


def test_campaign_closed_while_the_page_is_open_says_so(martha):
    martha.begin()
    Campaign.objects.update(state="closed")

    assert 'data-reason="closed"' in text(martha.client.get(martha.page))


def test_a_simulated_worker_agrees_to_all_that_is_asked_and_does_not_wait(crowd, fair, live_server):
    campaign = fair.opened(minimum_age=18, minimum_seconds=60)
    robot = Visitor(crowd, campaign, "AROBOT")
    declare_simulated(crowd_namespace(campaign), ["AROBOT"])
    path = urlsplit(robot.taken.url).path
    browser = Browser("http://crowd.invalid")

    page = browser.open_task(f"{live_server.url}{path}?{urlencode(robot.params)}")
    browser.choose(page, 1, "left")
    hang_up()

    assert (page.refusal, len(page.pairs)) == ("", 5)
    assert Consent.objects.get().age_confirmed == 18
    assert Choice.objects.count() == 1
