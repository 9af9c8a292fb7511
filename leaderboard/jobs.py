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
from leaderboard.analyses.job_requests import ANALYSE, analysis_asked, job_key
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.runner import keep_result, takes_every_run
from leaderboard.cache.kept_analyses import forget_old_results, forget_unused
from leaderboard.cache.kept_values import forget_values
from pooling.collections.name_rules import check_name
from pooling.errors import AlreadyImported
from pooling.models import Collection, Pool, QrelSet, Run

ASK = "leaderboard.ask_better_than_perfect"


def ring_for_analysis(asked: Asked) -> Job:
    """Start a job that computes and stores the analysis.

    Raises a Refusal if there is nothing to analyze or too many analyses of the collection are in progress.
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
    """Delete stored results that are too old or of other software, and the least recently used beyond the limits."""
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
