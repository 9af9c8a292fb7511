"""Refusals, and the pages that explain them."""

import re
from unittest import mock
from urllib.parse import urlsplit

import pytest
import time_machine
from django.test import Client, override_settings

from config import clock
from judging.errors import CrowdLater
from judging.models import Campaign, Choice, Consent, GoldPair, Submission
from judging.page import page_limits, reports_and_appeals
from judging.page.admission import ARRIVALS_AT_PLACE
from judging.page.crowd_frame import LARGEST_FORM
from judging.page.trials import trial_link
from judging.people.exclusions import exclude_worker
from judging.people.rights import withdraw_worker
from judging.rules.refusals import REFUSALS
from tests.judging.cast import Fair
from tests.judging.fake_crowd import FakePlace
from tests.judging.visitor import Visitor, text

pytestmark = pytest.mark.usefixtures("crowd_site")


def excluded(crowd, fair):
    campaign = fair.opened()
    Visitor(crowd, campaign).fail()
    return Visitor(crowd, campaign).arrive()


def excluded_elsewhere(crowd, fair):
    first = fair.opened()
    Visitor(crowd, first).fail()
    fair.collect(first)
    return Visitor(crowd, fair.next_opened("next"), place=_newest(crowd)).arrive()


def withdrawn(crowd, fair):
    campaign = fair.opened()
    martha = Visitor(crowd, campaign)
    martha.do_task()
    withdraw_worker(campaign, martha.submission.worker)
    return Visitor(crowd, campaign).arrive()


def enough_tasks(crowd, fair):
    campaign = fair.opened(max_tasks_per_worker=1)
    Visitor(crowd, campaign).do_task()
    return Visitor(crowd, campaign).arrive()


def nothing_new(crowd, fair):
    campaign = fair.opened(max_tasks_per_worker=2)
    Visitor(crowd, campaign).do_task()
    GoldPair.objects.update(state=GoldPair.State.DROPPED)
    return Visitor(crowd, campaign).arrive()


def no_task(crowd, fair):
    campaign = Fair(crowd, name="small", queries=1, passages=2).opened()
    first = Visitor(crowd, campaign)
    first.do_task()
    crowd.hand_in(first.taken, {})
    fair.collect(campaign)
    return first.arrive(workerId="AHENRY", assignmentId="ANOTHER1")


def crowded(crowd, fair):
    visitor = Visitor(crowd, fair.opened())
    with time_machine.travel(clock.now(), tick=False):
        names = [f"AMADEUP{number}" for number in range(ARRIVALS_AT_PLACE + 1)]
        return [visitor.arrive(workerId=name, assignmentId=f"3{name}") for name in names][-1]


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


def not_ready(crowd, fair):
    visitor = Visitor(crowd, fair.opened())
    crowd.fail("place", CrowdLater("no answer"))
    return visitor.arrive(hitId="NOTKNOWNYET")


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
    assert "Receipt" in text(martha.client.post(f"{martha.page}leave", follow=True))
    return martha.client.post(f"{martha.page}consent")


def trial_over(crowd, fair):
    link = trial_link(fair.draft())
    with time_machine.travel(link.expires_at):
        return Client().get(urlsplit(link.url).path)


def no_consent(crowd, fair):
    martha = Visitor(crowd, fair.opened())
    martha.arrive()
    with_words = martha.client.post(f"{martha.page}report", {"slot": "1", "kind": "broken"})
    assert with_words.json()["message"] == REFUSALS["no-consent"].title
    assert martha.save().json()["reason"] == "no-consent"


def too_soon(crowd, fair):
    martha = Visitor(crowd, fair.opened(minimum_seconds=5))
    martha.begin()
    early = martha.save().json()
    assert early["message"] == REFUSALS["too-soon"].title
    assert 0 < early["wait"] <= 5


def garbled(crowd, fair):
    martha = Visitor(crowd, fair.opened())
    martha.begin()
    return martha.finish(**{"choice-1": "both"})


def enough_said(crowd, fair):
    refused = text(excluded(crowd, fair))
    worker = Submission.objects.get().worker
    for number in range(reports_and_appeals.MOST_WAITING):
        said = {"refusal": "excluded", "words": "not me", "came_by": f"FORGED{number}"}
        reports_and_appeals.make_appeal(Campaign.objects.get(), worker, **said)
    address = re.search(r'action="(/judge/appeal/[^"]+)"', refused)[1]
    return Client().post(address, {"words": "not me"})


def too_large(crowd, fair):
    martha = Visitor(crowd, fair.opened())
    martha.begin()
    return martha.finish(comment="x" * LARGEST_FORM)


def too_fast(crowd, fair):
    martha = Visitor(crowd, fair.opened())
    # The clock is stopped, because requests are counted in time windows.
    with override_settings(PAGE_REQUESTS_PER_SECOND=1), time_machine.travel(clock.now(), tick=False):
        return [martha.begin(), *(martha.client.get(martha.page) for _ in range(2 * page_limits.WINDOW))][-1]


def our_fault(crowd, fair):
    martha = Visitor(crowd, fair.opened())
    martha.begin()
    martha.client.raise_request_exception = False
    with mock.patch("judging.page.session.check_workable", side_effect=ZeroDivisionError):
        return martha.client.get(martha.page)


def _newest(crowd) -> FakePlace:
    return [*crowd.posted.values()][-1]


def unfinished(crowd, fair):
    campaign = fair.opened()
    visitor = Visitor(crowd, campaign)
    visitor.begin()
    first = visitor.submission
    for number in range(5):
        left = Submission.objects.create(
            campaign=campaign,
            worker=first.worker,
            assignment_id=f"LEFT{number}",
            seed=0,
            state="lapsed",
            taken_at=clock.now(),
        )
        Consent.objects.create(submission=left)
    return Visitor(crowd, campaign, place=_newest(crowd)).arrive()


SITUATIONS = {
    "unfinished": unfinished,
    "excluded": excluded,
    "excluded-elsewhere": excluded_elsewhere,
    "withdrawn": withdrawn,
    "enough-tasks": enough_tasks,
    "nothing-new": nothing_new,
    "no-task": no_task,
    "crowded": crowded,
    "paused": _in_state("paused"),
    "closed": _in_state("closed"),
    "not-open": _in_state("draft"),
    "simulated-only": simulated_only,
    "unknown-link": unknown_link,
    "not-ready": not_ready,
    "returned": returned,
    "lapsed": lapsed,
    "finished": finished,
    "already-done": already_done,
    "trial-over": trial_over,
    "garbled": garbled,
    "enough-said": enough_said,
    "too-large": too_large,
    "too-fast": too_fast,
    "our-fault": our_fault,
}
#: Refusals that only scripts get. The script shows the title, and the page stays as it is.
BY_SCRIPT = {"no-consent": no_consent, "too-soon": too_soon}


@pytest.mark.parametrize("reason", BY_SCRIPT)
def test_a_refused_save_is_answered_with_the_refusals_words(crowd, fair, reason):
    BY_SCRIPT[reason](crowd, fair)

    assert not Choice.objects.exists()


@pytest.mark.parametrize("reason", sorted(set(REFUSALS) - set(BY_SCRIPT)))
def test_every_refusal_says_what_it_means_for_pay_and_what_to_do(crowd, fair, reason):
    response = SITUATIONS[reason](crowd, fair)

    words = REFUSALS[reason]
    page = text(response)
    assert response.status_code == words.status
    assert f'data-reason="{reason}"' in page
    assert f"<h1>{words.title}</h1>" in page
    assert all(sentence in page for sentence in (words.meaning.format(count=1), words.pay, words.next_step))
    assert "Questions? Write to the requester, through the site on which you took this task." in page
    assert (
        ('id="appeal"' in page)
        == words.appeal
        == (reason in ("excluded", "excluded-elsewhere", "unfinished"))
    )


def test_late_choice_is_answered_with_the_reason(martha):
    martha.do_task()

    late = martha.save(side="right")

    assert (late.status_code, late.json()["reason"]) == (409, "finished")
    assert late.json()["message"] == "This task has been submitted"


def test_only_pages_that_are_not_ready_yet_reload_automatically(crowd, fair):
    waiting = not_ready(crowd, fair)

    assert waiting["Refresh"] == "20"
    assert "This page reloads every 20 seconds" in waiting.content.decode()
    assert {reason for reason, page in REFUSALS.items() if page.reload_seconds} == {"not-ready", "crowded"}
    assert "Refresh" not in Client().get("/judge/task/W10~abc/")


def test_a_persons_decision_in_an_earlier_campaign_is_named_as_such(crowd, fair):
    campaign = fair.opened()
    martha = Visitor(crowd, campaign)
    martha.do_task()
    exclude_worker(campaign, martha.submission.worker, why="copied answers")

    page = text(Visitor(crowd, fair.next_opened("next"), place=_newest(crowd)).arrive())

    assert "In an earlier campaign the requester decided this" in page
    assert "check pair" not in page
    assert "copied answers" not in page


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("reference", "To be fair to everybody, one wrong answer is enough."),
        ("two-strikes", "only the second one excludes"),
    ],
)
def test_a_refusal_names_its_rule_and_when_an_objection_is_answered(crowd, fair, rule, words):
    campaign = fair.opened(screen=rule, answer_days=2)
    Visitor(crowd, campaign).fail()
    fair.collect(campaign)
    with time_machine.travel("2026-11-26T09:00Z", tick=False):  # a Thursday
        refused = text(Visitor(crowd, campaign).arrive())
        assert words in refused
        assert "answers within 2 working days." in refused

        address = re.search(r'action="(/judge/appeal/[^"]+)"', refused)[1]
        objected = text(Client().post(address, {"words": "not me"}))

    assert "The requester will answer by 30 November 2026." in objected
    with time_machine.travel("2026-12-01T09:00Z"):
        assert "was due by 30 November 2026 and is late" in text(Client().get(address))
