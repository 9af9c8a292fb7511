"""Work in the background that failed, and that somebody has seen: it is named no more."""

from __future__ import annotations

from django.db import transaction

from config import clock
from config.background.models import Job
from config.background.registry import in_words
from judging.errors import CampaignRefused
from judging.models import Campaign
from judging.services.campaigns import log
from judging.services.watchdog import failure_in_words

#: Kinds of work that only bring the crowd and us to the same state: doing them once more decides and spends nothing.
AGAIN = frozenset(
    {
        "judging.close_places",
        "judging.collect",
        "judging.deliver",
        "judging.post_places",
        "judging.propose_gold",
        "tournament.advance_challenges",
    }
)


def failed_job(campaign: Campaign, key: int) -> Job:
    """The campaign's job that failed and is still named. Raises CampaignRefused."""
    failed = Job.objects.filter(arguments__campaign_id=campaign.pk, state=Job.State.FAILED, put_away_at=None)
    job = failed.filter(pk=key).first()
    if job is None:
        raise CampaignRefused("This has been put away, or goes on by now.", "Look at the page again.")
    return job


def job_to_repeat(campaign: Campaign, key: int, *, who: str = "") -> Job:
    """The failed job that is to be done once more, as the log says. Raises CampaignRefused."""
    job = failed_job(campaign, key)
    if job.kind not in AGAIN:
        raise CampaignRefused(
            "This is not tried again from here.", "Begin it anew on the page where it began."
        )
    log(campaign, f"tried again: {in_words(job.kind)}", who=who)
    return job


@transaction.atomic
def put_away(campaign: Campaign, key: int, *, who: str = "") -> Job:
    """Name the failed job no more, nor earlier failures of the same work; a later failure is named again.

    Raises CampaignRefused.
    """
    job = failed_job(campaign, key)
    same = Job.objects.filter(
        arguments__campaign_id=campaign.pk, key=job.key, pk__lte=job.pk, state=Job.State.FAILED
    )
    if same.filter(put_away_at=None).update(put_away_at=clock.now()):
        log(campaign, f"put away: {in_words(job.kind)} failed", why=failure_in_words(job), who=who)
    return job
