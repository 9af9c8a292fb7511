from decimal import Decimal
from typing import Any

from django.db.models import QuerySet

from config.background.job_kinds import Progress, job_kind
from config.background.models import Job
from config.background.services import start, start_for
from config.sweep import Sweep
from judging.campaign.campaigns import CampaignSettings
from judging.models import Campaign
from leaderboard.analyses.better_than_perfect.analysis import ask_better_than_perfect
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.registry import KINDS
from leaderboard.analyses.runner import analysis_key, keep_result, request_key, takes_every_run
from leaderboard.cache.kept_analyses import forget_old_results, forget_unused
from leaderboard.cache.kept_values import forget_values
from pooling.errors import AlreadyImported
from pooling.models import Collection, Pool, QrelSet, Run
from pooling.services.name_rules import check_name

ANALYSE = "leaderboard.analyse"
ASK = "leaderboard.ask_better_than_perfect"


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


def ring_for_analysis(asked: Asked) -> Job:
    """Start a job that computes and stores the analysis.

    Raises a Refusal if there is nothing to analyze or the queue is full.
    """
    arguments = {
        "kind": asked.kind.name,
        "collection_id": asked.collection.pk,
        "campaign_id": None if asked.campaign is None else asked.campaign.pk,
        "runs": None if takes_every_run(asked) else [run.pk for run in asked.runs],
        "settings": asked.settings,
        "released": asked.released,
    }
    return start_for(ANALYSE, key=job_key(asked), arguments=arguments)


@job_kind(ANALYSE, max_attempts=2, words="an analysis")
def analyse(*, progress: Progress, **arguments: Any) -> dict[str, Any]:
    """Compute and store the analysis that the arguments describe, see :func:`analysis_asked`."""
    return {"key": keep_result(analysis_asked(**arguments), progress)}


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


def ring_for_asking(
    *, name: str, run: Run, qrel_set: QrelSet, settings: CampaignSettings, sample: int | None, who: str
) -> Job:
    """Start a job that creates a "better than perfect" campaign. Repeating the same request returns the same job.

    Only the settings that the page offers are used. Raises AlreadyImported if the name is taken or reserved by
    another job, and other refusals if the name or the settings are invalid.
    """
    check_name(name)
    settings.check()
    arguments = {
        "name": name,
        "run_id": run.pk,
        "qrel_set_id": qrel_set.pk,
        "settings": {key: str(getattr(settings, key)) for key in _ASKED_SETTINGS},
        "sample": sample,
        "who": who,
    }
    key = f"{ASK}:{name}"
    taken = AlreadyImported(f"A campaign or a pool {name!r} already exists.", "Choose another name.")
    if Campaign.objects.filter(name=name).exists() or Pool.objects.filter(name=name).exists():
        before = Job.objects.filter(key=key, state=Job.State.DONE).order_by("-pk").first()
        if before is not None and before.arguments == arguments:
            return before
        raise taken
    job = start(ASK, key=key, arguments=arguments)
    if job.arguments != arguments:
        raise taken
    return job


_ASKED_SETTINGS = {"seed": int, "judgments_per_pair": int, "pairs_per_task": int, "reward": Decimal}


@job_kind(ASK, words="the better-than-perfect campaign")
def create_asking_campaign(
    *,
    progress: Progress,
    name: str,
    run_id: int,
    qrel_set_id: int,
    settings: dict[str, str],
    sample: int | None,
    who: str,
) -> dict[str, Any]:
    """Create the campaign, unless an earlier attempt of the same job has already created it."""
    made = Campaign.objects.filter(
        name=name, pool__name=name, pool__qrel_set=qrel_set_id, pool__pool_runs__run=run_id
    )
    if not made.exists():
        ask_better_than_perfect(
            name=name,
            run=Run.objects.select_related("collection").get(pk=run_id),
            qrel_set=QrelSet.objects.get(pk=qrel_set_id),
            settings=CampaignSettings(
                **{key: _ASKED_SETTINGS[key](value) for key, value in settings.items()}
            ),
            sample=sample,
            who=who,
            progress=progress,
        )
    return {"campaign": name}


def asking_work(collection: Collection) -> QuerySet[Job]:
    """Return the jobs that create "better than perfect" campaigns for runs of the collection."""
    runs = list(Run.objects.filter(collection=collection).values_list("pk", flat=True))
    return Job.objects.filter(kind=ASK, arguments__run_id__in=runs)


@job_kind("leaderboard.forget_analyses")
def forget_analyses(**_: Any) -> dict[str, Any]:
    """Delete stored analyses past the age limit, and the least recently used results beyond the size limits."""
    sweep, deleted = Sweep("Forgetting analyses"), {"deleted": 0, "values_deleted": 0}
    for step, what in (
        (forget_old_results, "deleted"),
        (forget_unused, "deleted"),
        (forget_values, "values_deleted"),
    ):
        with sweep.step(step.__name__):
            deleted[what] += step()
    sweep.end()
    return deleted
