"""The leaderboard's background work: long analyses."""

from __future__ import annotations

from typing import Any

from config.background.models import Job
from config.background.registry import Progress, job_kind
from config.background.services import start
from judging.models import Campaign
from leaderboard.services.analyses import as_released, keep_result, key_of
from leaderboard.services.analysis_kinds import KINDS
from leaderboard.services.analysis_makers import Asked
from leaderboard.services.kept_analyses import forget_old, forget_unused
from leaderboard.services.kept_values import forget_values
from pooling.models import Collection, Run

ANALYSE = "leaderboard.analyse"


def job_key(key: str) -> str:
    """The job that computes what is kept under this key."""
    return f"{ANALYSE}:{key}"


def ring_for(asked: Asked) -> Job:
    """Have the analysis made and kept. Raises a refusal where there is nothing to analyse."""
    arguments = {
        "kind": asked.kind.name,
        "collection_id": asked.collection.pk,
        "campaign_id": None if asked.campaign is None else asked.campaign.pk,
        "runs": [run.pk for run in asked.runs],
        "settings": asked.settings,
        "released": asked.released,
    }
    return start(ANALYSE, key=job_key(key_of(asked)), arguments=arguments)


@job_kind(ANALYSE, max_attempts=2)
def analyse(
    *,
    progress: Progress,
    kind: str,
    collection_id: int,
    campaign_id: int | None,
    runs: list[int],
    settings: dict[str, Any],
    released: bool,
) -> dict[str, Any]:
    """Make an analysis and keep it."""
    rows = Run.objects.filter(collection=collection_id, pk__in=runs).order_by("run_tag")
    asked = Asked(
        kind=KINDS[kind],
        collection=Collection.objects.get(pk=collection_id),
        runs=tuple(as_released(run) if released else run for run in rows),
        settings=settings,
        campaign=None if campaign_id is None else Campaign.objects.get(pk=campaign_id),
        released=released,
    )
    return {"key": keep_result(asked, progress)}


@job_kind("leaderboard.forget_analyses")
def forget_analyses(**_: Any) -> dict[str, Any]:
    """Delete kept analyses that are older than the settings say, and those and runs' values unused for longest
    beyond their room."""
    return {"deleted": forget_old() + forget_unused(), "values_deleted": forget_values()}
