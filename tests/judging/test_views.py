"""The pages that workers see, through Django's client: no cookie ever goes with a request."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode, urlsplit

import pytest
from django.test import Client

from judging.browsing import read
from judging.models import Campaign, Choice, Consent, CrowdIdentity, Slot, Submission, Worker
from judging.refusals import REFUSALS
from pooling.models import Passage
from tests.judging.cast import Fair, good_side
from tests.judging.fake_crowd import FakeCrowd, FakePlace

CROWD_SITE = "https://crowd.example"


@pytest.fixture(autouse=True)
def _crowd_site(settings):
    settings.CROWD_HOSTS = [CROWD_SITE]


class Visitor:
    """A person with a browser that keeps no cookies, who took a place of the campaign."""

    def __init__(
        self, crowd: FakeCrowd, campaign: Campaign, name: str = "AMARTHA", place: FakePlace | None = None
    ):
        self.campaign = campaign
        self.client = Client(enforce_csrf_checks=True, headers={"origin": "null"})
        self.taken = crowd.take(name, place)
        self.params = {
            "assignmentId": self.taken.assignment_id,
            "hitId": self.taken.posted.crowd_id,
            "workerId": name,
            "turkSubmitTo": CROWD_SITE,
        }
        self.page = ""

    def arrive(self, **changed):
        """Open the address the crowd gives, and follow to the worker's own page."""
        address = urlsplit(self.taken.url).path + "?" + urlencode(self.params | changed)
        response = self.client.get(address)
        if response.status_code == 302:
            self.page = response["Location"]
            return self.client.get(self.page)
        return response

    def begin(self):
        """Arrive and agree; returns the page with the pairs."""
        self.arrive()
        return self.client.post(f"{self.page}consent", follow=True)

    @property
    def submission(self) -> Submission:
        return Submission.objects.get(assignment_id=self.params["assignmentId"])

    def slots(self):
        return Slot.objects.filter(submission=self.submission).select_related("gold_pair").order_by("number")

    def save(self, **fields):
        values = {"slot": "1", "side": "left", "sequence": "0", "seconds": "2.5"} | fields
        return self.client.post(f"{self.page}save", values)

    def choices(self, *, pass_gold: bool = True) -> dict[str, str]:
        """The fields of the plain form, every pair chosen."""
        return {f"choice-{slot.number}": str(good_side(slot, pass_gold)) for slot in self.slots()}

    def finish(self, *, pass_gold: bool = True, **fields):
        return self.client.post(f"{self.page}finish", self.choices(pass_gold=pass_gold) | fields, follow=True)

    def do_task(self, *, pass_gold: bool = True):
        self.begin()
        return self.finish(pass_gold=pass_gold)


@pytest.fixture
def campaign(fair) -> Campaign:
    return fair.opened()


@pytest.fixture
def martha(crowd, campaign) -> Visitor:
    return Visitor(crowd, campaign)


def text(response) -> str:
    return unescape(response.content.decode())


# What a worker does.


def test_preview_shows_the_task_and_records_nothing(martha):
    response = martha.arrive(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE", workerId="")

    assert response.status_code == 200
    assert "Preview." in text(response)
    assert not re.search(r"<(form|button|input|script)", response.content.decode())
    assert (Submission.objects.count(), Worker.objects.count(), CrowdIdentity.objects.count()) == (0, 0, 0)


def test_preview_shows_texts_without_leasing_a_task_even_when_paused(martha, campaign):
    Campaign.objects.filter(pk=campaign.pk).update(state="paused")

    response = martha.arrive(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE")

    assert "How to judge" in text(response)
    assert not campaign.tasks.exclude(state="waiting").exists()


def test_consent_names_the_pairs_of_the_very_task_when_it_is_not_a_full_one(crowd, fair):
    campaign = fair.opened(pairs_per_task=5)  # 12 pairs: three tasks of four

    response = Visitor(crowd, campaign).arrive()

    assert "There are 6 pairs." in text(response)


def test_consent_comes_first_and_is_recorded_once(martha):
    first = martha.arrive()
    pairs = martha.client.post(f"{martha.page}consent", follow=True)
    martha.client.post(f"{martha.page}consent")

    assert "Before you begin" in text(first)
    assert "section" not in text(first)
    assert text(pairs).count('<section class="pair"') == 5
    assert Consent.objects.get().submission == martha.submission


def test_choices_are_saved_as_they_are_made_and_sent_off_to_the_crowd(martha):
    martha.begin()
    for slot in martha.slots():
        saved = martha.save(slot=str(slot.number), side=good_side(slot))
        assert saved.json() == {"saved": True}
    sent = martha.client.post(f"{martha.page}finish", {"comment": " fine "}, follow=True)

    form = {
        one.attributes.get("name"): one.attributes.get("value")
        for one in read(text(sent))
        if one.tag == "input"
    }
    action = next(one.attributes["action"] for one in read(text(sent)) if one.tag == "form")
    assert action == f"{CROWD_SITE}/mturk/externalSubmit"
    assert form == martha.choices() | {
        "assignmentId": martha.taken.assignment_id,
        "workerId": "AMARTHA",
        "comment": "fine",
    }
    assert martha.submission.state == Submission.State.FINISHED


def test_seconds_shown_are_kept_with_the_choice(martha):
    martha.begin()

    martha.save(seconds="12.75")

    assert Choice.objects.get().seconds_shown == 12.75


def test_reload_restores_the_choices(martha):
    martha.begin()
    martha.save(slot="2", side="right")
    martha.save(slot="2", side="left", sequence="1")

    reloaded = martha.arrive()

    section = text(reloaded).split('id="pair-2"')[1].split("</section>")[0]
    assert 'value="left" checked' in section
    assert 'data-made="2"' in section
    assert text(reloaded).count(" checked") == 1


def test_same_save_twice_is_one_choice(martha):
    martha.begin()

    assert [martha.save().json(), martha.save().json()] == [{"saved": True}] * 2
    assert Choice.objects.count() == 1


def test_two_tabs_that_choose_at_once_are_both_kept(martha):
    martha.begin()

    martha.save(side="left")
    martha.save(side="right")

    assert list(Choice.objects.order_by("sequence").values_list("sequence", "side")) == [
        (0, "left"),
        (1, "right"),
    ]


def test_sending_off_twice_changes_nothing(martha):
    martha.do_task()

    again = martha.finish(pass_gold=False, comment="changed")

    assert "One last step" in text(again)
    assert Choice.objects.count() == 5
    assert martha.submission.comment == ""


def test_plain_form_works_without_scripts_and_names_what_is_missing(martha):
    martha.begin()
    some = dict(list(martha.choices().items())[:3])

    early = martha.client.post(f"{martha.page}finish", some | {"comment": "half way"})
    done = martha.finish()

    assert early.status_code == 422
    assert "2 pairs still without a choice" in text(early)
    assert re.findall(r'href="#pair-(\d)"', text(early)) == ["4", "5"]
    assert "half way" in text(early)
    assert text(early).count(" checked") == 3
    assert "One last step" in text(done)


def test_undecided_is_offered_only_where_the_campaign_allows_it(crowd, fair):
    campaign = fair.opened(allow_undecided=True)
    martha = Visitor(crowd, campaign)

    page = martha.begin()

    assert text(page).count("Cannot decide") == 5
    assert martha.save(side="undecided").json() == {"saved": True}


# What the pages must not do.


@pytest.mark.parametrize("address", ["preview", "consent", "task", "sent", "refused", "save"])
def test_pages_may_be_framed_by_the_crowd_only_and_set_no_cookie(martha, settings, address):
    pages = {
        "preview": lambda: martha.arrive(assignmentId=""),
        "consent": martha.arrive,
        "task": martha.begin,
        "sent": martha.do_task,
        "refused": lambda: martha.arrive(turkSubmitTo="https://evil.example"),
        "save": lambda: (martha.begin(), martha.save())[1],
    }

    response = pages[address]()

    policy = dict(part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";"))
    assert policy["frame-ancestors"] == policy["form-action"] == f"'self' {CROWD_SITE}"
    assert policy["script-src"] == "'self'"
    assert response["Referrer-Policy"] == "no-referrer"
    assert "no-store" in response["Cache-Control"]
    assert "X-Frame-Options" not in response
    assert not response.cookies
    assert "Set-Cookie" not in response


@pytest.mark.parametrize("fields", [{}, {"slot": "99"}])
def test_save_can_be_read_by_a_frame_without_an_origin(martha, fields):
    martha.begin()

    assert martha.save(**fields)["Access-Control-Allow-Origin"] == "*"
    assert martha.client.get(f"{martha.page}save")["Access-Control-Allow-Origin"] == "*"


def test_markup_in_questions_and_passages_is_shown_not_run(crowd, fair):
    Passage.objects.update(text="<script>alert('x')</script> & <b>bold</b>")
    campaign = fair.opened()
    Passage.objects.update(text="<script>alert('x')</script> & <b>bold</b>")
    campaign.collection.queries.update(text='what is "<img src=x>"')

    page = Visitor(crowd, campaign).begin().content.decode()

    assert "<script>alert" not in page
    assert "<b>" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt; &amp; &lt;b&gt;" in page


def test_nothing_on_the_page_tells_test_pairs_from_others(crowd, fair):
    campaign = fair.opened()
    for passage in Passage.objects.all():
        Passage.objects.filter(pk=passage.pk).update(
            pid=f"PID{passage.pk}X", text="Some words of equal kind."
        )
    martha = Visitor(crowd, campaign)

    page = martha.begin().content.decode()

    sections = re.findall(r'<section class="pair".*?</section>', page, flags=re.DOTALL)
    shapes = set()
    for slot, section in zip(martha.slots(), sections, strict=True):
        asked = re.sub(r"what is q\d\?", "QUESTION", unescape(section))
        shapes.add(re.sub(rf'(pair-|question-|choice-|slot="|Pair ){slot.number}\b', r"\1N", asked))
    assert sum(slot.gold_pair_id is not None for slot in martha.slots()) == 2
    assert len(shapes) == 1
    assert not re.search(r"PID\d+X|gold|qrel|run_tag", page)


def test_page_of_a_rehearsal_says_so_and_hides_pids(crowd, fair):
    campaign = fair.opened(placeholder_text=True)
    Passage.objects.update(text=None)
    martha = Visitor(crowd, campaign)
    martha.arrive()  # makes the worker known
    Worker.objects.update(simulated=True)

    page = text(martha.begin())

    assert "Rehearsal." in page
    assert not any(passage.pid in page for passage in Passage.objects.all())


# Who is refused, and how it is said.


def excluded(crowd, fair):
    campaign = fair.opened()
    Visitor(crowd, campaign).do_task(pass_gold=False)
    return Visitor(crowd, campaign).arrive()


def excluded_elsewhere(crowd, fair):
    Visitor(crowd, fair.opened()).do_task(pass_gold=False)
    return Visitor(crowd, Fair(crowd, name="next").opened(), place=_newest(crowd)).arrive()


def enough_tasks(crowd, fair):
    campaign = fair.opened(max_tasks_per_worker=1)
    Visitor(crowd, campaign).do_task()
    return Visitor(crowd, campaign).arrive()


def no_task(crowd, fair):
    campaign = Fair(crowd, name="small", queries=1, passages=2).opened()
    first = Visitor(crowd, campaign)
    first.begin()
    return first.arrive(workerId="AHENRY", assignmentId="ANOTHER1")


def _in_state(state):
    def situation(crowd, fair):
        visitor = Visitor(crowd, fair.opened())
        Campaign.objects.update(state=state)
        return visitor.arrive()

    return situation


def simulated_only(crowd, fair):
    visitor = Visitor(crowd, fair.opened())
    Campaign.objects.update(placeholder_text=True)
    return visitor.arrive()


def unknown_link(crowd, fair):
    fair.opened()
    return Client().get("/judge/task/W10~abc/")


def returned(crowd, fair):
    campaign = fair.opened()
    martha = Visitor(crowd, campaign)
    martha.begin()
    Visitor(crowd, campaign, "AHENRY", place=martha.taken).arrive()
    return martha.client.get(martha.page)


def lapsed(crowd, fair):
    martha = Visitor(crowd, fair.opened())
    martha.begin()
    Submission.objects.update(state=Submission.State.LAPSED)
    return martha.client.get(martha.page)


def finished(crowd, fair):
    martha = Visitor(crowd, fair.opened())
    martha.do_task()
    return martha.client.post(f"{martha.page}consent")


def already_done(crowd, fair):
    campaign = fair.opened()
    martha = Visitor(crowd, campaign)
    martha.do_task()
    fair.hand_in(martha.submission)
    fair.collect(campaign)
    return martha.client.get(martha.page)


def garbled(crowd, fair):
    martha = Visitor(crowd, fair.opened())
    martha.begin()
    return martha.finish(**{"choice-1": "both"})


def _newest(crowd) -> FakePlace:
    return [*crowd.posted.values()][-1]


SITUATIONS = {
    "excluded": excluded,
    "excluded-elsewhere": excluded_elsewhere,
    "enough-tasks": enough_tasks,
    "no-task": no_task,
    "paused": _in_state("paused"),
    "closed": _in_state("closed"),
    "not-open": _in_state("draft"),
    "simulated-only": simulated_only,
    "unknown-link": unknown_link,
    "returned": returned,
    "lapsed": lapsed,
    "finished": finished,
    "already-done": already_done,
    "garbled": garbled,
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_every_refusal_says_what_it_means_for_pay_and_what_to_do(crowd, fair, reason):
    response = SITUATIONS[reason](crowd, fair)

    words = REFUSALS[reason]
    page = text(response)
    assert response.status_code == words.status
    assert f'data-reason="{reason}"' in page
    assert f"<h1>{words.title}</h1>" in page
    assert all(sentence in page for sentence in (words.meaning, words.pay, words.next_step))


def test_late_choice_is_answered_with_the_reason(martha):
    martha.do_task()

    late = martha.save(side="right")

    assert (late.status_code, late.json()["reason"]) == (409, "finished")
    assert late.json()["message"] == "This task is sent off"


def test_form_goes_to_no_host_but_the_crowds(martha):
    response = martha.arrive(turkSubmitTo="https://evil.example")

    assert response.status_code == 404
    assert "not the crowd's" in text(response)
    assert Submission.objects.count() == 0


@pytest.mark.parametrize(
    "changed",
    [
        {"workerId": ""},
        {"workerId": "'; drop table"},
        {"assignmentId": "<b>"},
        {"hitId": "\x00"},
        {"turkSubmitTo": "javascript:alert(1)"},
        {"turkSubmitTo": "https://[broken"},
        {"assignmentId": "A" * 5000},
    ],
)
def test_garbage_in_the_address_is_refused_in_words(martha, changed):
    response = martha.arrive(**changed)

    assert response.status_code == 404
    assert 'data-reason="unknown-link"' in text(response)


@pytest.mark.parametrize(
    "fields",
    [
        {"slot": ""},
        {"slot": "0"},
        {"slot": "-1"},
        {"slot": "²"},
        {"slot": "9" * 30},
        {"sequence": "x"},
        {"sequence": "200"},
        {"side": "both"},
        {"side": "undecided"},
        {"side": "\x00"},
    ],
)
def test_garbage_in_a_choice_is_refused_and_records_nothing(martha, fields):
    martha.begin()

    response = martha.save(**fields)

    assert (response.status_code, response.json()["reason"]) == (409, "garbled")
    assert Choice.objects.count() == 0


@pytest.mark.parametrize("seconds", ["", "-1", "1e9", "nan", "²", "...", "9" * 400])
def test_odd_durations_do_not_lose_the_choice(martha, seconds):
    martha.begin()

    assert martha.save(seconds=seconds).json() == {"saved": True}


@pytest.mark.parametrize("token", ["x", "~", "x" * 1000, "W10~abc", "%00"])
def test_forged_tokens_lead_nowhere(db, token):
    for address in (f"/judge/{token}/", f"/judge/task/{token}/"):
        response = Client().get(address)
        assert response.status_code == 404
        assert 'data-reason="unknown-link"' in text(response)
    saved = Client().post(f"/judge/task/{token}/save", {"slot": "1", "side": "left"})
    assert saved.json()["reason"] == "unknown-link"


def test_comment_is_cut_to_what_the_form_allows(martha):
    martha.begin()

    martha.finish(comment="é" * 6000)

    assert len(martha.submission.comment) == 5000


def test_null_characters_in_a_comment_do_no_harm(martha):
    martha.begin()

    sent = martha.finish(comment="good\x00 texts")

    assert "One last step" in text(sent)
    assert martha.submission.comment == "good texts"
