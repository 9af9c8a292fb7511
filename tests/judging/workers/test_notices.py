"""Excluded workers whose places are hidden get a message through the crowd, and can appeal and read the answer."""

import re
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.test import Client

from config.background.services import run_job, start
from judging.errors import CrowdLater
from judging.models import Appeal, Campaign, CrowdIdentity, Exclusion, WorkerMessage
from judging.page.reports_and_appeals import make_appeal
from judging.people.appeal_answers import settle_report_or_appeal
from judging.people.exclusions import exclude_worker, reinstate_worker
from judging.workers import notices
from judging.workers.notices import send_notices
from tests.judging.visitor import Visitor, text

pytestmark = pytest.mark.usefixtures("crowd_site")


def worker(name):
    return CrowdIdentity.objects.get(crowd_worker_id=name).worker


@pytest.fixture
def failed(fair, campaign):
    """AFAIL failed a gold pair and was paid; ADONE did not fail."""
    fair.do_task(campaign, "AFAIL", pass_gold=False)
    fair.do_task(campaign, "ADONE")
    fair.collect(campaign)
    return campaign


def link_in(message):
    return urlsplit(re.search(r"https?://\S+/judge/appeal/\S+", message)[0]).path


def test_from_the_exclusion_to_the_appeal_to_the_answer(fair, failed, settings):
    job = start("judging.collect", key="one", arguments={"campaign_id": failed.pk})
    run_job(job.pk)

    ((name, subject, said),) = fair.crowd.messages
    assert (name, subject) == ("AFAIL", "No further tasks for you here")
    assert "One of the check pairs" in said
    assert "You are paid for submitted work as promised." in said
    assert settings.PUBLIC_URL in said
    browser, page = Client(), link_in(said)
    first = text(browser.get(page))
    assert 'data-appeal="open"' in first
    assert "You are paid for submitted work" in first

    objected = text(browser.post(page, {"words": "The text was cut off."}))
    assert "Your message was sent to the requester" in objected
    assert 'data-appeal="waiting"' in text(browser.get(page))
    call_command(
        "reports", failed.name, "--settle", f"a{Appeal.objects.get().pk}", "--why", "You are <right>."
    )

    assert fair.crowd.messages[1][:2] == ("AFAIL", "An answer to your objection")
    assert "You are <right>." in fair.crowd.messages[1][2]
    assert link_in(fair.crowd.messages[1][2]) == page
    answered = browser.get(page).content.decode()
    assert 'data-appeal="answered"' in answered
    assert "You are &lt;right&gt;." in answered
    reinstate_worker(failed, worker("AFAIL"), why="cut off")
    lifted = text(browser.get(page))
    assert "You can take tasks again" in lifted
    assert '<form method="post"' not in lifted
    assert [row.sent_at is not None for row in WorkerMessage.objects.all()] == [True, True]


def test_each_worker_is_notified_once_and_a_lost_reply_is_retried(fair, failed):
    fair.crowd.fail("message", CrowdLater("no answer"))
    with pytest.raises(CrowdLater):
        send_notices(failed)

    told = [send_notices(failed), send_notices(failed)]

    assert told == [1, 0]
    assert len(fair.crowd.messages) == WorkerMessage.objects.count() == 1


def test_a_notice_sent_just_before_the_program_died_is_stored_and_not_sent_again(fair, failed, monkeypatch):
    def killed(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(notices, "_store_notice", killed)
        with pytest.raises(KeyboardInterrupt):
            send_notices(failed)

    assert (send_notices(failed), send_notices(failed)) == (1, 0)

    assert len(fair.crowd.messages) == 1
    assert WorkerMessage.objects.get().sent_at


def test_unpaid_workers_are_notified_once_they_are_paid(fair, campaign):
    Campaign.objects.update(hold_hours=5)
    fair.do_task(campaign, "AFAIL", pass_gold=False)
    fair.collect(campaign)
    assert Exclusion.objects.standing().count() == 1
    assert send_notices(campaign) == 0

    Campaign.objects.update(hold_hours=0)
    fair.collect(campaign)

    assert send_notices(campaign) == 1


def test_a_crowd_without_lists_is_sent_nothing(fair, failed, monkeypatch):
    monkeypatch.setattr(fair.crowd, "keeps_block_lists", False)

    assert send_notices(failed) == 0
    assert fair.crowd.messages == []


def test_the_reason_is_that_of_the_rule_that_decided(fair, failed):
    reinstate_worker(failed, worker("AFAIL"), why="a slip")
    exclude_worker(failed, worker("ADONE"), why="three words a minute")
    Campaign.objects.update(language="de")
    failed.refresh_from_db()

    send_notices(failed)

    ((name, _, said),) = fair.crowd.messages
    assert name == "ADONE"
    assert "Die auftraggebende Stelle hat das entschieden, nachdem sie Ihre Arbeit angesehen hat." in said
    assert "three words a minute" not in said
    german = text(Client().get(link_in(said)))
    assert "Die auftraggebende Stelle hat das entschieden" in german
    assert "Prüfpaar" not in german


def test_an_appeal_on_the_page_of_a_task_is_answered_once_the_crowd_names_that_task(crowd, fair, campaign):
    martha = Visitor(crowd, campaign)
    martha.begin()
    martha.save()
    exclude_worker(campaign, martha.submission.worker, why="too fast")
    refused = text(martha.client.get(martha.page))
    page = re.search(r'action="(/judge/appeal/[^"]+)"', refused)[1]
    martha.client.post(page, {"words": "I read every word."})
    appeal = Appeal.objects.get()
    settle_report_or_appeal(campaign, f"a{appeal.pk}", why="We look again.")
    assert send_notices(campaign) == 0  # until then only the page's address identifies the worker

    martha.client.post(f"{martha.page}leave", {"confirmed": "1"})
    fair.hand_in(martha.submission)
    fair.collect(campaign)
    send_notices(campaign)

    said = {subject: words for name, subject, words in crowd.messages if name == "AMARTHA"}
    assert set(said) == {"No further tasks for you here", "An answer to your objection"}
    for message in said.values():  # the appeal link also shows the earlier appeal
        answered = text(Client().get(link_in(message)))
        assert 'data-appeal="answered"' in answered
        assert "“I read every word.”" in answered
        assert "We look again." in answered
        assert "<textarea" not in answered


def test_an_appeal_under_a_made_up_assignment_is_answered_on_that_page_alone(crowd, fair, failed):
    forged = text(Visitor(crowd, failed, "AFAIL").arrive(assignmentId="MADEUP1"))
    page = re.search(r'action="(/judge/appeal/[^"]+)"', forged)[1]
    forger = Client()
    forger.post(page, {"words": "Not me."})
    settle_report_or_appeal(failed, f"a{Appeal.objects.get().pk}", why="An answer to whoever wrote this.")

    send_notices(failed)

    ((name, subject, said),) = crowd.messages
    assert (name, subject) == ("AFAIL", "No further tasks for you here")
    own = text(Client().get(link_in(said)))
    assert 'data-appeal="open"' in own
    assert "Not me." not in own
    assert "An answer to whoever wrote this." in text(forger.get(page))


def test_the_answer_to_an_objection_to_an_earlier_campaigns_exclusion_leads_to_it(fair, failed):
    adone = worker("ADONE")
    exclusion = exclude_worker(failed, adone, why="elsewhere")
    Exclusion.objects.filter(pk=exclusion.pk).update(campaign=fair.draft_of("earlier"))
    make_appeal(failed, adone, refusal="excluded-elsewhere", words="That was my sister.")
    settle_report_or_appeal(failed, f"a{Appeal.objects.get().pk}", why="It stays.")

    send_notices(failed)

    said = next(words for name, _, words in fair.crowd.messages if name == "ADONE")
    page = text(Client().get(link_in(said)))
    assert 'data-appeal="answered"' in page
    assert "<h1>The requester has replied</h1>" in page
