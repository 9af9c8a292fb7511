"""Raise flags after each collection for workers whose work came in, or who recently left a task."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from config import clock
from judging.exchange.cached_figures import kept_figures
from judging.intake.worker_records import records_of
from judging.models import Campaign, Exclusion, Submission, WorkerInCampaign

#: How far back to look for tasks that were opened and returned, since the time of a return is not recorded.
LATELY = timedelta(hours=1)


def flag_since(campaign: Campaign, since: datetime) -> int:
    """Update the flags of workers whose work came in after ``since``, or who recently left a task.

    Return how many have a new flag.
    """
    # Count only signed arrivals; there could be thousands of made-up ones.
    signed = Q(taken_at__isnull=False, opened_at__gte=since - LATELY)
    left = signed & Q(state__in=[Submission.State.RETURNED, Submission.State.LAPSED])
    ended = Submission.objects.filter(Q(collected_at__gte=since) | left, campaign=campaign)
    return flag_workers(campaign, set(ended.order_by().values_list("worker", flat=True)))


def flag_workers(campaign: Campaign, workers: Collection[int]) -> int:
    """Record the flags that these workers' records raise now; return how many workers have a new flag.

    A flag excludes nobody and changes no pay; a person reviews it.
    """
    if not workers:
        return 0
    usual = kept_figures(campaign, "usual", lambda: records_of(campaign).usual).made
    noticed = {
        one.worker_id: one for one in WorkerInCampaign.objects.filter(campaign=campaign, worker__in=workers)
    }
    fresh = 0
    for row in records_of(campaign, only=workers, usual=usual).rows:
        names, known = [flag.name for flag in row.flags], noticed.get(row.worker)
        if names == (known.flags if known else []):
            continue
        is_new = bool(set(names) - set(known.flags if known else []))
        changes = {"flags": names} | ({"flagged_at": clock.now()} if is_new else {})
        WorkerInCampaign.objects.update_or_create(campaign=campaign, worker_id=row.worker, defaults=changes)
        fresh += is_new
    return fresh


def flagged_lately(campaign: Campaign, since: datetime) -> QuerySet[WorkerInCampaign]:
    """Return people (no simulated workers) with a flag raised after ``since`` who are not excluded."""
    return flagged(campaign).filter(flagged_at__gte=since, worker__simulated=False)


def flagged(campaign: Campaign) -> QuerySet[WorkerInCampaign]:
    """Return workers with flags who are not excluded; those with the newest flags come first."""
    out = Exclusion.objects.standing().filter(campaign=campaign).values("worker")
    rows = WorkerInCampaign.objects.filter(campaign=campaign).exclude(flags=[]).exclude(worker__in=out)
    return rows.order_by("-flagged_at", "worker")
