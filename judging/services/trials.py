"""Trials: a reviewer does one timed task by a link that expires. Nothing of it ever counts or is paid."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

import numpy as np
from django.db import transaction

from config import clock
from config.plurals import many
from judging.errors import BadInput, CampaignRefused
from judging.layout import submission_seed
from judging.models import Campaign, Posting, Submission, Task, Worker
from judging.pay import hourly
from judging.services.campaigns import log
from judging.services.payments import earned_so_far
from judging.services.postings import next_posting
from judging.services.slots import fill_slots
from judging.services.texts import passages_without_text
from judging.services.working import WorkRefused
from judging.tokens import trial_link_for

LONGEST_DAYS = 366
#: A link that got about makes no endless rows.
MOST_TRIALS = 100


@dataclass(frozen=True)
class TrialLink:
    """A link for reviewers, and until when it works."""

    url: str
    expires_at: datetime


@dataclass(frozen=True)
class TrialResult:
    """How long the trial took for the pairs judged, and what that would have paid: dollars, also in an hour."""

    seconds: float
    judged: int
    shown: int
    reward: Decimal
    hourly: Decimal


def trial_link(campaign: Campaign, *, days: int = 14, who: str = "") -> TrialLink:
    """A new link by which a reviewer can do a task of the campaign for ``days`` days; recorded.

    Raises CampaignRefused when there is no task to show, or passages without text.
    """
    if not 1 <= days <= LONGEST_DAYS:
        raise BadInput(f"A trial link works for 1 to {LONGEST_DAYS} days.")
    if not campaign.tasks.exists():
        raise CampaignRefused(f"The campaign {campaign.name} has no task to try.")
    missing = passages_without_text(campaign)
    if missing and not campaign.placeholder_text:
        raise CampaignRefused(
            f"{many(missing, 'passage has', 'passages have')} no text to show.",
            f"Run: manage.py fetch_passages {campaign.collection.name} --passages FILE",
        )
    expires_at = clock.now() + timedelta(days=days)
    with transaction.atomic():
        posting = next_posting(campaign, Posting.Purpose.TRIAL)
        log(campaign, "trial link", why=f"works until {expires_at:%Y-%m-%d %H:%M} UTC", who=who)
    return TrialLink(trial_link_for(posting, expires_at), expires_at)


def start_trial(posting: Posting) -> Submission:
    """A trial of the campaign's first task, by a reviewer nobody knows. The task itself is not taken.

    Raises WorkRefused when the link was used too often, or the campaign is closed.
    """
    campaign = posting.campaign
    if campaign.state == Campaign.State.CLOSED:
        raise WorkRefused("closed")
    prefix = f"TRIAL-{posting.pk}-"
    done = Submission.objects.filter(campaign=campaign, assignment_id__startswith=prefix).count()
    task = Task.objects.filter(campaign=campaign).order_by("number").first()
    if task is None or done >= MOST_TRIALS:
        raise WorkRefused("trial-over")
    with transaction.atomic():
        submission = Submission.objects.create(
            campaign=campaign,
            worker=Worker.objects.create(),
            task=task,
            assignment_id=f"{prefix}{secrets.token_hex(16)}",
            standing=Submission.Standing.TRIAL,
            seed=0,
            opened_at=clock.now(),
        )
        # All trials show the same: were test pairs drawn for each, whoever has the link could tell them by comparing.
        submission.seed = submission_seed(campaign.seed, 0)
        submission.save(update_fields=["seed"])
        fill_slots(submission, np.random.default_rng(submission.seed))
    return submission


def trial_result(submission: Submission) -> TrialResult:
    """What a finished trial came to."""
    ended = submission.finished_at or clock.now()
    seconds = (ended - submission.opened_at).total_seconds()
    _, judged, shown, earned = earned_so_far(submission)
    return TrialResult(seconds, judged, shown, earned, hourly(earned, seconds))
