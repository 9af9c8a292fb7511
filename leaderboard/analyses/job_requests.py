"""The requests behind analysis jobs: how to find the jobs of a request, and the request of a job."""

from typing import Any

from django.db.models import QuerySet

from config.background.models import Job
from judging.models import Campaign
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.registry import KINDS
from leaderboard.analyses.runner import analysis_key, request_key
from pooling.models import Collection, Run

ANALYSE = "leaderboard.analyse"


def job_key(asked: Asked) -> str:
    """Return the key of the job that analyzes the current data.

    It joins ``request_key``, which does not depend on the data, and ``analysis_key``, which does.
    """
    return f"{ANALYSE}:{request_key(asked)}:{analysis_key(asked)}"


def analysis_work(asked: Asked) -> QuerySet[Job]:
    """Return the jobs for the same request, whatever data they analyze, newest first."""
    return Job.objects.filter(kind=ANALYSE, key__startswith=f"{ANALYSE}:{request_key(asked)}:").order_by(
        "-pk"
    )


def analysis_asked(
    *,
    kind: str,
    collection_id: int,
    campaign_id: int | None,
    runs: list[int] | None,
    settings: dict[str, Any],
    released: bool,
) -> Asked:
    """Return the request that the arguments of an analysis job describe.

    ``runs`` has the keys of the runs; None for all runs of the collection.
    """
    rows = Run.objects.filter(collection=collection_id).order_by("run_tag")
    rows = rows if runs is None else rows.filter(pk__in=runs)
    rows = rows.released() if released else rows
    return Asked(
        kind=KINDS[kind],
        collection=Collection.objects.get(pk=collection_id),
        runs=tuple(run.without_author() if released else run for run in rows),
        settings=settings,
        campaign=None if campaign_id is None else Campaign.objects.get(pk=campaign_id),
        released=released,
    )
