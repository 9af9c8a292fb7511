"""Trials: a reviewer opens a link that expires and does one timed task, which never counts and is never paid."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

import numpy as np
from django.db import transaction

from config import clock
from config.guidance import Action
from judging.campaign.campaigns import log_change
from judging.campaign.postings import next_posting
from judging.campaign.worker_texts import no_text_words, passages_without_text
from judging.errors import BadInput, CampaignRefused
from judging.exchange.link_tokens import trial_link_for
from judging.models import Campaign, Posting, Submission, Task, Worker
from judging.money.payments import earned_so_far
from judging.page.session import WorkRefused
from judging.rules.layout import submission_seed
from judging.rules.pay import hourly
from judging.tasks.slots import fill_slots, task_pairs
from judging.tasks.worker_memory import past_of

LONGEST_DAYS = 366
#: The maximum number of trials from one link, which limits the rows that a leaked link can create.
MOST_TRIALS = 100


@dataclass(frozen=True)
class TrialLink:
    """A link for reviewers, and its expiry time."""

    url: str
    expires_at: datetime


@dataclass(frozen=True)
class TrialResult:
    """The time that a trial took, its numbers of pairs, and the pay it would earn in dollars, total and per hour."""

    seconds: float
    judged: int
    shown: int
    reward: Decimal
    hourly: Decimal


def trial_link(campaign: Campaign, *, days: int = 14, who: str = "") -> TrialLink:
    """Create a link with which reviewers can do a task of the campaign for ``days`` days, and log it.

    Raises BadInput for a wrong number of days. Raises CampaignRefused if there is no task to show, or if passages
    have no text.
    """
    if not 1 <= days <= LONGEST_DAYS:
        raise BadInput(f"Choose between 1 and {LONGEST_DAYS} days for the trial link.")
    if not campaign.tasks.exists():
        raise CampaignRefused(f"The campaign {campaign.name} has no task to try.")
    missing = passages_without_text(campaign)
    if missing and not campaign.placeholder_text:
        raise CampaignRefused(
            no_text_words(missing),
            Action("fetch_passages", campaign.collection.name, "--passages FILE"),
        )
    expires_at = clock.now() + timedelta(days=days)
    with transaction.atomic():
        posting = next_posting(campaign, Posting.Purpose.TRIAL)
        log_change(campaign, "trial link", why=f"works until {expires_at:%Y-%m-%d %H:%M} UTC", who=who)
    return TrialLink(trial_link_for(posting, expires_at), expires_at)


def _task_to_try(campaign: Campaign) -> Task | None:
    return Task.objects.filter(campaign=campaign).order_by("number").first()


def trial_size(campaign: Campaign) -> int:
    """Return the number of pairs in a trial, gold pairs included. The first task can be smaller than a full one."""
    task = _task_to_try(campaign)
    return (task.task_pairs.count() if task else 0) + campaign.gold_per_task


def start_trial(posting: Posting) -> Submission:
    """Start a trial of the campaign's first task for an anonymous reviewer. The task stays available to workers.

    Raises WorkRefused if the link was used too often, or the campaign is closed.
    """
    campaign = posting.campaign
    if campaign.state == Campaign.State.CLOSED:
        raise WorkRefused("closed")
    prefix = f"TRIAL-{posting.pk}-"
    done = Submission.objects.filter(campaign=campaign, assignment_id__startswith=prefix).count()
    task = _task_to_try(campaign)
    if task is None or done >= MOST_TRIALS:
        raise WorkRefused("trial-over")
    with transaction.atomic():
        submission = Submission.objects.create(
            campaign=campaign,
            worker=Worker.objects.create(),
            task=task,
            assignment_id=f"{prefix}{secrets.token_hex(16)}",
            standing=Submission.Standing.TRIAL,
            # All trials show the same gold pairs. If they differed, reviewers could find gold by comparing trials.
            seed=submission_seed(campaign.seed, "trial"),
            opened_at=clock.now(),
        )
        past = past_of(campaign, submission.worker_id)
        fill_slots(submission, task_pairs(submission), past, np.random.default_rng(submission.seed))
    return submission


def trial_result(submission: Submission) -> TrialResult:
    """Return the time and pay of a trial; for an unfinished one, those up to now."""
    ended = submission.finished_at or clock.now()
    seconds = (ended - submission.opened_at).total_seconds()
    _, judged, shown, earned, _ = earned_so_far(submission)
    return TrialResult(seconds, judged, shown, earned, hourly(earned, seconds))
