"""The pages that workers see, through Django's client, without cookies in any request."""

import re
from html import unescape

import pytest

from judging.models import Campaign, Choice, Consent, CrowdIdentity, Submission, Worker
from judging.money.discrepancies import receipt_of
from judging.simulation.browser import parse_page
from judging.workers.identities import crowd_namespace, declare_simulated
from pooling.models import Passage
from tests.judging.cast import good_side
from tests.judging.visitor import CROWD_SITE, Visitor, text

pytestmark = pytest.mark.usefixtures("crowd_site")


# Actions of a worker.


def test_preview_shows_the_task_and_records_nothing(martha):
    response = martha.arrive(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE", workerId="")

    assert response.status_code == 200
    assert "Preview." in text(response)
    assert not re.search(r"<(form|button|input)", response.content.decode())
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


def test_choices_are_saved_as_they_are_made_and_sent_off_to_the_crowd(martha, settings):
    martha.begin()
    for slot in martha.slots():
        saved = martha.save(slot=str(slot.number), side=good_side(slot))
        assert saved.json() == {"saved": True}
    sent = martha.client.post(f"{martha.page}finish", {"comment": " fine "}, follow=True)

    form = {
        one.attributes.get("name"): one.attributes.get("value")
        for one in parse_page(text(sent))
        if one.tag == "input"
    }
    action = next(one.attributes["action"] for one in parse_page(text(sent)) if one.tag == "form")
    assert action == f"{CROWD_SITE}/mturk/externalSubmit"
    assert form == martha.choices() | {
        "assignmentId": martha.taken.assignment_id,
        "workerId": "AMARTHA",
        "comment": "fine",
        "receipt": receipt_of(martha.submission),
        "receipt_address": settings.PUBLIC_URL + martha.page,
        "pay_promised": "2.00",
        "proof": form["proof"],
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
    assert "2 pairs have no choice" in text(early)
    assert re.findall(r'href="#pair-(\d)"', text(early)) == ["4", "5"]
    assert "half way" in text(early)
    assert text(early).count(" checked") == 3
    assert "One last step" in text(done)


def test_undecided_is_offered_only_where_the_campaign_allows_it(crowd, fair):
    campaign = fair.opened(allow_undecided=True)
    martha = Visitor(crowd, campaign)

    page = martha.begin()

    assert text(page).count('value="undecided"') == 5
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


def test_nothing_on_the_page_reveals_gold_pairs(crowd, fair):
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
        names = 'pair-|question-|number-|hold-|choice-|report-kind-|report-words-|value="|slot="|[Pp]air '
        numbered = rf"({names}){slot.number}\b"
        shapes.add(re.sub(numbered, r"\1N", asked))
    assert sum(slot.gold_pair_id is not None for slot in martha.slots()) == 2
    assert len(shapes) == 1
    assert not re.search(r"PID\d+X|gold|qrel|run_tag", page)


def test_page_of_a_rehearsal_says_so_and_hides_pids(crowd, fair):
    campaign = fair.opened(placeholder_text=True)
    Passage.objects.update(text=None)
    martha = Visitor(crowd, campaign)
    declare_simulated(crowd_namespace(campaign), ["AMARTHA"])

    page = text(martha.begin())

    assert "Rehearsal." in page
    assert not any(passage.pid in page for passage in Passage.objects.all())
