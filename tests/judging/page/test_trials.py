from datetime import timedelta
from urllib.parse import urlsplit

import numpy as np
import pytest
import time_machine
from django.test import Client

from config import clock
from judging.errors import CampaignRefused
from judging.launch.closure import close
from judging.models import Exclusion, GoldAnswer, Judgment, Payment, Posting, Slot, Submission, Task
from judging.models.campaign import new_call_key
from judging.page import trials
from judging.page.trials import MOST_TRIALS, start_trial, trial_link
from judging.tasks.leases import lease_task
from judging.watching.status import campaign_status
from judging.workers.identities import crowd_namespace, worker_for
from pooling.models import Passage
from tests.judging.test_commands import refused, run


@pytest.fixture
def reviewer():
    """A browser without cookies or a proven origin, like that of anybody who follows a link."""
    return Client(enforce_csrf_checks=True)


def path(link) -> str:
    return urlsplit(link.url).path


def begin(reviewer, link) -> str:
    """Begin the trial and agree to the consent text. Returns the address of the task's page."""
    page = reviewer.post(path(link))["Location"]
    assert b"Before you begin" in reviewer.get(page).content
    assert reviewer.post(f"{page}consent").status_code == 302
    return page


def answers(submission: Submission, *, side: str = "left") -> dict[str, str]:
    return {f"choice-{slot.number}": side for slot in submission.slots.all()}


def test_trial_from_the_link_to_the_time_taken_and_the_pay(fair, reviewer):
    link = trial_link(fair.draft(), who="ada")

    first = reviewer.get(path(link)).content.decode()
    assert "Begin trial" in first
    assert f"for up to {MOST_TRIALS} trials" in first
    assert not Submission.objects.exists()
    with time_machine.travel(clock.now(), tick=False) as now:
        page = begin(reviewer, link)
        submission = Submission.objects.get()
        assert b"is not paid" in reviewer.get(page).content
        now.shift(timedelta(seconds=150))
        done = reviewer.post(f"{page}finish", answers(submission), follow=True).content.decode()

    assert "2 minutes 30 seconds" in done
    assert "$2.00" in done
    assert "$48.00" in done
    assert reviewer.get(page).content.decode() == done


def test_reviewer_who_stops_early_learns_what_that_would_have_paid(fair, reviewer):
    page = begin(reviewer, trial_link(fair.draft()))
    submission = Submission.objects.get()
    reviewer.post(f"{page}save", {"slot": "1", "sequence": "0", "side": "left", "seconds": "1"})

    asked = reviewer.post(f"{page}leave").content.decode()
    assert "does not count and is not paid" in asked
    assert "A trial is not paid." in asked
    done = reviewer.post(f"{page}leave", {"confirmed": "1"}, follow=True).content.decode()

    # A base of $0.20, and one of five pairs' share of the rest.
    assert "1 of 5 pairs" in done
    assert '<strong id="paid">$0.56</strong>' in done
    submission.refresh_from_db()
    assert (submission.standing, submission.judgments.count()) == ("trial", 0)


def test_nothing_of_a_trial_counts_or_takes_anything_away(fair, reviewer):
    campaign = fair.opened()
    link = trial_link(campaign)
    page = begin(reviewer, link)
    trial = Submission.objects.get()
    wrong = {
        f"choice-{slot.number}": "right" if slot.left_id == slot.gold_pair.relevant_id else "left"
        for slot in trial.slots.exclude(gold_pair=None).select_related("gold_pair")
    }
    reviewer.post(f"{page}finish", answers(trial) | wrong)
    trial.refresh_from_db()

    assert (trial.state, trial.standing, trial.place) == ("finished", "trial", None)
    assert trial.slots.filter(gold_pair=None).count() == 3
    for nothing in (Judgment, GoldAnswer, Exclusion, Payment):
        assert not nothing.objects.exists()
    assert Task.objects.filter(state=Task.State.WAITING).count() == 4
    status = campaign_status(campaign)
    assert (status["workers"], status["submissions"]["trial"], status["places"]["open"]) == (0, 1, 4)
    for worker in ("A1", "A2", "A3", "A4"):
        fair.do_task(campaign, worker)
    fair.collect(campaign)
    assert campaign.judgments.counted().count() == 12
    assert Submission.objects.get(pk=trial.pk).standing == "trial"


def test_trials_do_not_tilt_left_and_right(fair):
    """A pair shown in trials only does not affect balance: the worker's sides come from the seed alone."""
    campaign = fair.opened(pairs_per_task=12)
    posting = _posting(campaign)
    before = _sides(campaign, "ABEFORE")
    start_trial(posting)
    trials_shown = Slot.objects.filter(submission__standing="trial", pair__isnull=False)
    assert trials_shown.count() == 12
    for slot in trials_shown.select_related("pair"):
        Slot.objects.filter(pk=slot.pk).update(
            left_id=slot.pair.passage_a_id, right_id=slot.pair.passage_b_id
        )

    assert _sides(campaign, "AAFTER") == before


def _posting(campaign) -> Posting:
    trial_link(campaign)
    return campaign.postings.get(purpose=Posting.Purpose.TRIAL)


def _sides(campaign, name: str) -> list[tuple[int, int]]:
    """Return (pair, left) of a new worker's first task with a fixed seed, then undo the lease."""
    from django.db import transaction

    from judging.tasks import leases

    worker = worker_for(crowd_namespace(campaign), name)
    with transaction.atomic():
        submission = lease_task(campaign, worker, assignment_id=f"3{name}", place=None)
        submission.slots.all().delete()
        task = Task.objects.get(holder=submission)
        past = leases.past_of(campaign, worker.pk)
        pairs = leases.task_pairs(submission)
        leases.fill_slots(submission, pairs, past, np.random.default_rng(7))
        sides = sorted(submission.slots.filter(gold_pair=None).values_list("pair_id", "left_id"))
        submission.slots.all().delete()
        leases.end_submission(submission, Submission.State.RETURNED)
        assert task.state == Task.State.HELD
    return sides


def test_link_expires_and_a_changed_one_is_no_link(fair, reviewer):
    link = trial_link(fair.draft(), days=1)

    assert reviewer.get(path(link).replace("/trial/", "/trial/x")).status_code == 404
    with time_machine.travel(link.expires_at + timedelta(seconds=1)):
        for response in (reviewer.get(path(link)), reviewer.post(path(link))):
            assert response.status_code == 410
            assert b"has expired" in response.content
    assert not Submission.objects.exists()


def test_trial_begun_before_the_link_expired_may_be_finished(fair, reviewer):
    link = trial_link(fair.draft(), days=1)
    page = begin(reviewer, link)

    with time_machine.travel(link.expires_at + timedelta(hours=1)):
        done = reviewer.post(f"{page}finish", answers(Submission.objects.get()), follow=True)

    assert b"Trial finished" in done.content


def test_link_that_got_about_makes_no_endless_rows(fair, reviewer, monkeypatch):
    assert MOST_TRIALS >= 20
    monkeypatch.setattr(trials, "MOST_TRIALS", 2)
    link = trial_link(fair.draft())

    assert [reviewer.post(path(link)).status_code for _ in range(3)] == [302, 302, 410]
    assert Submission.objects.values("worker").distinct().count() == 2


def test_trials_before_launch_leave_the_campaigns_postings_alone(fair):
    campaign = fair.draft()
    trial_link(campaign)
    fair.name = "fair"
    from judging.intake.places import post_places
    from judging.launch.launches import launch_campaign

    launch_campaign(campaign)
    post_places(campaign)

    assert fair.crowd.open_places == 4
    assert [*campaign.postings.order_by("number").values_list("number", "purpose")] == [
        (1, "trial"),
        (2, "main"),
    ]
    assert fair.open_task(campaign, "A1").standing == "pending"


def test_closed_campaign_and_one_without_texts_or_tasks_have_no_trials(fair, reviewer):
    campaign = fair.draft()
    link = trial_link(campaign)
    Passage.objects.filter(pid="q0-a").update(text=None)
    with pytest.raises(CampaignRefused, match="no text: "):
        trial_link(campaign)
    for days in (0, 367):
        with pytest.raises(CampaignRefused, match="between 1 and 366 days"):
            trial_link(campaign, days=days)
    close(campaign)

    assert b"has ended" in reviewer.post(path(link)).content
    campaign.tasks.all().delete()
    with pytest.raises(CampaignRefused, match="no task"):
        trial_link(campaign)


def test_the_command_prints_a_link_that_works(fair, reviewer):
    fair.draft()

    told = run("trial_link", "fair", "--days", "3")

    assert reviewer.get(urlsplit(told["link"]).path).status_code == 200
    assert refused("trial_link", "nowhere")[0] == 1


def test_link_of_a_posting_whose_row_number_another_campaign_has_now_leads_nowhere(fair, reviewer):
    campaign = fair.draft()
    link = trial_link(campaign)
    assert reviewer.get(path(link)).status_code == 200

    campaign.call_key = new_call_key()  # identifies a campaign
    campaign.save()

    assert reviewer.get(path(link)).status_code == 404


def test_a_trial_of_a_small_task_announces_its_own_size(fair, reviewer):
    campaign = fair.draft()
    first = Task.objects.filter(campaign=campaign).order_by("number").first()
    first.task_pairs.first().delete()
    link = trial_link(campaign)

    announced = reviewer.get(path(link)).content.decode()

    page = begin(reviewer, link)
    shown = Submission.objects.get().slots.count()
    assert f"instructions, then {shown} pairs" in announced
    assert f">{shown} pairs<" in reviewer.get(page).content.decode()
