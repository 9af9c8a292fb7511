"""Flags as work comes in: each collection looks at the workers whose work it took in, and at nobody else."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import QuerySet

from config import clock
from judging.models import Campaign, Exclusion, Submission, WorkerInCampaign
from judging.services.freshness import kept
from judging.services.worker_records import records_of


def flag_since(campaign: Campaign, since: datetime) -> int:
    """Raise the flags of workers whose work came in since then; returns how many have one that is new."""
    came_in = Submission.objects.filter(campaign=campaign, collected_at__gte=since)
    return flag_workers(campaign, set(came_in.order_by().values_list("worker", flat=True)))


def flag_workers(campaign: Campaign, workers: Collection[int]) -> int:
    """Note the flags that these workers' records raise now; returns how many have one that is new.

    A flag excludes nobody and unpays nothing: a person looks at it.
    """
    if not workers:
        return 0
    usual = kept(campaign, "usual", lambda: records_of(campaign).usual).made
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
    """Workers with a flag that was raised since then, and who are not excluded."""
    out = Exclusion.objects.standing().filter(campaign=campaign).values("worker")
    fresh = WorkerInCampaign.objects.filter(campaign=campaign, flagged_at__gte=since).exclude(flags=[])
    return fresh.exclude(worker__in=out).order_by("-flagged_at", "worker")
