from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from config.background.models import Job
from leaderboard import jobs
from leaderboard.analyses.fields import Number
from leaderboard.analyses.job_requests import ANALYSE
from leaderboard.analyses.kinds import Kind
from leaderboard.analyses.runner import analysis_key, kept_analysis
from leaderboard.errors import WrongSetting
from leaderboard.output.content import analysis_content
from pooling.collections.lookups import runs_tagged
from pooling.models import Collection
from web.analyses import pages
from web.api.bodies import Body, DryRun
from web.api.caller_guidance import Guided
from web.api.callers import reader
from web.api.problem_details import unknown_name
from web.api.works import Text, work_accepted, work_out
from web.common.access import collection_for

router = Router()


class SettingOut(Schema):
    """A setting of an analysis: a number within limits, one of ``options``, or text with ``options`` as examples."""

    name: str
    label: str
    default: str = Field(alias="value")
    options: list[str]
    least: float | None
    most: float | None

    @staticmethod
    def resolve_options(control: pages.Control) -> list[str]:
        """Return the values of the options, without their labels on pages."""
        return [value for value, _ in control.options]


class AnalysisKindOut(Schema):
    """An analysis: what it shows, what it needs, and its settings.

    ``refused`` is the reason why the caller cannot see its results, or "" if they can.
    """

    name: str
    title: str
    says: str
    needs: str
    settings: list[SettingOut]
    refused: str


class AnalysisIn(Body):
    """The runs to analyze (default: all that the caller can see) and the settings that differ from their defaults.

    ``released`` restricts the analysis to released runs and public queries, so that everybody can read it.
    """

    runs: Annotated[list[Annotated[Text, Field(max_length=200)]], Field(max_length=1000)] = []
    settings: Annotated[dict[str, Annotated[Text, Field(max_length=200)] | float], Field(max_length=50)] = {}
    released: DryRun = False


class AnalysisOut(Schema):
    """The job that runs an analysis. ``result`` is null until it is done.

    ``id`` is null if the result was already stored, so that no job was needed.
    """

    id: int | None = None
    state: str
    done: int = 0
    total: int = 0
    result: dict[str, Any] | None = None
    problem: Guided = ""
    next_step: Guided = ""


@router.get(
    "/collections/{name}/analyses",
    response=list[AnalysisKindOut],
    summary="List analyses with their settings",
)
def list_analyses(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    user = reader(request)
    found = collection_for(user, name)
    return [
        {
            "name": row.kind.name,
            "title": row.kind.title,
            "says": row.kind.sentence,
            "needs": row.kind.needs,
            "settings": pages.controls(found, row.kind, {}, user),
            "refused": row.refusal,
        }
        for row in pages.listed_analyses(found, user)
    ]


@router.post(
    "/collections/{name}/analyses/{slug:kind}",
    response={200: AnalysisOut, 202: AnalysisOut},
    summary="Run an analysis; repeating the call returns the same job or the stored result",
)
def make_analysis(
    request: HttpRequest, response: HttpResponse, name: str, kind: str, asked: AnalysisIn
) -> Status[dict[str, Any]]:
    user = reader(request)
    found = collection_for(user, name, "see everything")
    chosen = pages.kind_or_404(kind)
    meant = pages.asked_for(found, chosen, _form_values(found, chosen, asked), user)
    kept = kept_analysis(analysis_key(meant))
    if kept is not None:
        return Status(200, {"state": Job.State.DONE, "result": analysis_content(kept)})
    job = jobs.ring_for_analysis(meant)
    return work_accepted(response, "read_analysis_work", name, job)


def _form_values(collection: Collection, kind: Kind, asked: AnalysisIn) -> QueryDict:
    """Convert the request to values of the form on the analysis page. Raises WrongSetting for an unknown setting."""
    known = [field.name for field in kind.fields] + ["campaign"] * kind.of_campaign
    whole = {field.name for field in kind.fields if isinstance(field, Number) and field.integers_only}
    given = QueryDict(mutable=True)
    for name, value in asked.settings.items():
        if name not in known:
            raise WrongSetting(unknown_name(name, known, "setting"), "GET …/analyses lists all settings.")
        exact = isinstance(value, float) and value.is_integer() and name in whole
        given[name] = str(int(value)) if exact else str(value)
    if asked.released:
        given["released"] = "1"
    if asked.runs:
        given.setlist("run", [str(run.pk) for run in runs_tagged(collection, asked.runs)])
    return given


@router.get(
    "/collections/{name}/analyses/work/{int:key}",
    response=AnalysisOut,
    summary="Get the progress and result of an analysis",
)
def read_analysis_work(request: HttpRequest, name: str, key: int) -> dict[str, Any]:
    found = collection_for(reader(request), name, "see everything")
    job = get_object_or_404(Job, pk=key, kind=ANALYSE, arguments__collection_id=found.pk)
    kept = kept_analysis(job.result["key"]) if job.result else None
    if kept:
        pages.check_job_result(job)
    return work_out(job) | {"result": analysis_content(kept) if kept else None}
