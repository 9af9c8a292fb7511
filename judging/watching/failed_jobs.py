"""Find, retry and hide failed background jobs."""

from django.db import transaction

from config import clock
from config.background.job_kinds import kind_words
from config.background.models import Job
from judging.campaign.campaigns import log_change
from judging.errors import CampaignRefused
from judging.models import Campaign
from judging.watching.watchdog import STARTED_BY_NOBODY, failure_in_words

#: Kinds of jobs that can be retried here. Retrying them makes no new decision and causes no new spending.
AGAIN = STARTED_BY_NOBODY | {"judging.propose_gold"}


def failed_job(campaign: Campaign, key: int) -> Job:
    """Return the campaign's failed job with this key. Raises CampaignRefused if there is none or it is hidden."""
    failed = Job.objects.filter(arguments__campaign_id=campaign.pk, state=Job.State.FAILED, put_away_at=None)
    job = failed.filter(pk=key).first()
    if job is None:
        raise CampaignRefused(
            "This failure is already hidden, or the work is running again.", "Reload the page."
        )
    return job


def job_to_repeat(campaign: Campaign, key: int, *, who: str = "") -> Job:
    """Return the failed job to retry, and log who retries it. Raises CampaignRefused if it cannot be retried."""
    job = failed_job(campaign, key)
    if job.kind not in AGAIN:
        raise CampaignRefused(
            "This work cannot be retried here.", "Start it again on the page where it was started."
        )
    log_change(campaign, f"retried: {kind_words(job.kind)}", who=who)
    return job


@transaction.atomic
def put_away(campaign: Campaign, key: int, *, who: str = "") -> Job:
    """Hide a failed job and the earlier failed jobs with the same job key. A later failure is shown again.

    Raises CampaignRefused if the job is already hidden or has not failed.
    """
    job = failed_job(campaign, key)
    same = Job.objects.filter(
        arguments__campaign_id=campaign.pk, key=job.key, pk__lte=job.pk, state=Job.State.FAILED
    )
    if same.filter(put_away_at=None).update(put_away_at=clock.now()):
        log_change(campaign, f"hidden: {kind_words(job.kind)} failed", why=failure_in_words(job), who=who)
    return job
