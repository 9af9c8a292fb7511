import io
import logging
from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from django.core.management import call_command
from django.urls import reverse

from config import clock
from config.background.followed_jobs import attend
from config.background.models import Job
from config.background.services import TryLater, pulse, run_job, start
from judging.campaign.campaigns import pause
from judging.errors import CrowdLater, CrowdNever
from judging.intake.collection import collect
from judging.intake.places import close_places, lacking
from judging.jobs import collect_key, post_places_key
from judging.launch.closure import close
from judging.launch.launches import launch_campaign
from judging.models import Campaign, Place, Submission
from judging.money.payments import pay_owed
from judging.page import session
from judging.watching.blockers import problems
from judging.watching.watchdog import FAILURE, stalled_work, watched_campaigns
from tests.judging.test_commands import run, shown


@pytest.fixture
def later(monkeypatch):
    """Return what the watchdog finds after a while, with or without a running process."""

    def look(campaign: Campaign, *, at_work: bool = True, **time) -> list[str]:
        with time_machine.travel(clock.now() + timedelta(**time)):
            if at_work:
                monkeypatch.setattr("config.background.services.WORKER_NAME", "another")
                pulse()
            campaign.refresh_from_db()
            return [f"{one.what}: {one.why} {one.next_step}" for one in stalled_work(campaign)]

    return look


def test_nothing_is_named_while_everything_moves(fair, later):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    fair.open_task(campaign, "A2")
    fair.collect(campaign)

    assert later(campaign, minutes=14) == []
    assert later(campaign, minutes=40) == []  # places are open, and a worker has time left


def test_places_that_are_not_offered_are_named_with_the_crowds_own_reason(fair, later):
    campaign = fair.draft()
    launch_campaign(campaign)
    assert later(campaign, minutes=10) == []
    assert later(campaign, minutes=30, at_work=False) == [
        "4 places waiting to be offered: No background worker is running. "
        "Start the product: make run, or the worker and scheduler services."
    ]

    fair.crowd.fail("create_kind", CrowdNever("No such qualification.", "Fix it."))
    run_job(
        start("judging.post_places", key=post_places_key(campaign), arguments={"campaign_id": campaign.pk}).pk
    )

    named = later(campaign, minutes=30)
    assert (
        "4 places waiting to be offered: The crowd reports: No such qualification. Fix it. "
        "Then: manage.py ask_again fair." in named
    )
    assert any(one.startswith("offering places: It failed: No such qualification.") for one in named)


def test_failed_job_is_named_until_a_later_one_does_well(fair, later):
    campaign = fair.opened()
    key, arguments = collect_key(campaign), {"campaign_id": campaign.pk}
    failed = start("judging.collect", key=key, arguments=arguments)
    Job.objects.filter(pk=failed.pk).update(
        state="failed", failure_message="It broke.", next_step="Fix it.", finished_at=clock.now()
    )
    assert later(campaign) == ["collecting work: It failed: It broke. Fix it."]
    assert not any("collecting" in one for one in later(campaign, seconds=FAILURE.total_seconds() + 1))

    attend(start("judging.collect", key=key, arguments=arguments))

    assert later(campaign) == []


def test_a_repeatedly_postponed_job_is_named_with_its_message(fair, later):
    campaign = fair.opened()
    job = start("judging.collect", key=collect_key(campaign), arguments={"campaign_id": campaign.pk})
    Job.objects.filter(pk=job.pk).update(
        progress_message=str(TryLater("The crowd does not answer.", seconds=5))
    )

    assert later(campaign, minutes=14) == []
    assert later(campaign, minutes=16) == [
        "collecting work: It was put off: The crowd does not answer." + " "
    ]


def test_job_whose_worker_is_gone_is_named_and_one_at_work_is_not(fair, later):
    campaign = fair.opened()
    job = start("judging.collect", key=collect_key(campaign), arguments={"campaign_id": campaign.pk})
    running = Job.objects.filter(pk=job.pk)
    running.update(state="running", leased_by="x", leased_until=clock.now() + timedelta(minutes=30))

    assert later(campaign, minutes=20) == []
    assert "Its worker process is gone." in later(campaign, minutes=31)[0]


def test_stalled_work_is_named_for_each_place(fair, later):
    campaign = fair.opened()
    fair.open_task(campaign, "A1")
    submission = fair.open_task(campaign, "A2")
    fair.answer(submission)
    session.finish(submission)

    assert [one.partition(":")[0] for one in later(campaign, minutes=45)] == [
        "1 submission submitted on our page"
    ]
    assert "the work is kept and paid if the crowd allows it" in later(campaign, minutes=45)[0]
    assert [one.partition(":")[0] for one in later(campaign, hours=3)] == [
        "2 tasks held past the deadline",
        "1 submission submitted on our page",
    ]
    named = later(campaign, days=8)
    assert (
        named[0]
        == "4 expired places: The crowd's list does not show what became of them. Run: manage.py collect fair"
    )


def test_payments_are_named_with_what_the_crowd_says(fair, later):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    fair.crowd.fail("approve", CrowdLater("It does not answer.", "It is retried automatically."))
    with pytest.raises(CrowdLater):
        fair.collect(campaign)

    assert later(campaign, minutes=50) == []
    assert later(campaign, minutes=70) == [
        "2 payments owed: The crowd reports: It does not answer. It is retried automatically."
    ]
    pay_owed(campaign)
    assert later(campaign, minutes=70) == []


def test_submission_without_a_standing_is_named(fair, later):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    fair.collect(campaign)
    Submission.objects.update(standing="pending")

    assert later(campaign, minutes=16) == [
        "1 submission not screened: The job that collects work has not screened them. Run: manage.py collect fair"
    ]


def test_tasks_without_a_place_are_named_with_an_empty_budget_or_without(fair, later):
    campaign = fair.opened(budget=Decimal("9.60"))
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.collect(campaign)

    assert later(campaign, minutes=10) == []
    assert later(campaign, minutes=20) == [
        "1 task without a place: The budget is used up. Run: manage.py raise_budget fair"
    ]
    Campaign.objects.update(budget=None, confirmed_spend=None)
    assert later(campaign, minutes=20) == [
        "1 task without a place: The job that collects work has not requested places. Run: manage.py collect fair"
    ]


def test_unpaid_campaign_has_no_budget_to_use_up(fair, later):
    campaign = fair.opened(reward=Decimal(0), base_reward=Decimal(0))
    fair.do_task(campaign, "ABAD", pass_gold=False)
    collect(campaign, sweep=True)
    Place.objects.filter(state=Place.State.WANTED).delete()
    Campaign.objects.update(budget=0, confirmed_spend=0)
    campaign.refresh_from_db()

    assert lacking(campaign) == 1
    assert problems(campaign) == []
    assert later(campaign, minutes=20) == [
        "1 task without a place: The job that collects work has not requested places. Run: manage.py collect fair"
    ]


def test_closing_that_takes_too_long_is_named_with_what_it_waits_for(fair, later):
    campaign = fair.opened()
    fair.do_task(campaign, "A1")
    close(campaign)

    assert not any("closing" in one for one in later(campaign, minutes=150))
    named = later(campaign, hours=3)[-1]
    assert named.startswith(
        "the closing: It waits for 4 places that the crowd still offers, 1 submission that"
    )


def test_paused_campaign_waits_for_its_researcher_only(fair, later):
    campaign = fair.draft()
    launch_campaign(campaign)
    pause(campaign)
    close_places(campaign)

    assert later(campaign, hours=3) == []


def test_status_page_log_and_command_name_it(fair, admin_client, client, caplog):
    campaign = fair.draft()
    launch_campaign(campaign)
    with time_machine.travel(clock.now() + timedelta(hours=1)):
        named = run("watchdog")["fair"]
        assert named == run("watchdog", "fair")["fair"]
        assert [one["count"] for one in named] == [4]
        assert "4 places waiting to be offered since" in shown("watchdog")
        assert "4 places waiting to be offered since" in shown("campaign_status", "fair")
        assert run("campaign_status", "fair")["stalled"][0]["why"] == "No background worker is running."
        page = reverse("web:campaign", args=["fair"])
        assert "4 places waiting" in admin_client.get(page).content.decode()
        assert "4 places waiting" not in client.get(page).content.decode()
        with caplog.at_level(logging.WARNING):
            job = attend(start("judging.watchdog"))
    assert "campaign fair: 4 places waiting to be offered" in caplog.text
    assert list(job.result) == ["fair"]


def test_campaigns_that_nothing_can_happen_to_are_not_watched(fair):
    fair.draft()
    out = io.StringIO()
    assert watched_campaigns() == []
    call_command("watchdog", stdout=out)
    assert "No campaign is running" in out.getvalue()

    fair.name = "second"
    fair.opened()
    assert [one.name for one in watched_campaigns()] == ["second"]
    assert "second: nothing is stalled" in shown("watchdog")
