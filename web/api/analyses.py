"""Analyses of a collection's runs: what there is, having one made, and what it says."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Router, Schema, Status

from config.background.models import Job
from leaderboard import jobs
from leaderboard.errors import WrongSetting
from leaderboard.output.content import analysis_content
from leaderboard.services.analyses import key_of, result_of
from leaderboard.services.analysis_makers import Kind
from leaderboard.settings_asked import Number
from pooling.models import Collection
from pooling.services.finding import runs_tagged
from web.access import collection_for, require
from web.api.bodies import Body, DryRun
from web.api.callers import reader
from web.api.problems import unknown_name
from web.api.works import Text, work_out
from web.services import analysis_pages as pages

router = Router()


class SettingOut(Schema):
    """What can be set: a number within limits, or one of ``options``."""

    name: str
    label: str
    default: str
    options: list[str]
    least: float | None
    most: float | None


class AnalysisKindOut(Schema):
    """An analysis: what it says and needs, its settings, and why the caller cannot have it (or nothing)."""

    name: str
    title: str
    says: str
    needs: str
    settings: list[SettingOut]
    refused: str


class AnalysisIn(Body):
    """Which runs (all that the caller sees if none are named) and settings; what is left out takes its default.

    ``released`` makes it of released runs and public queries alone, so that everybody may read it.
    """

    runs: Annotated[list[Annotated[Text, Field(max_length=200)]], Field(max_length=1000)] = []
    settings: Annotated[dict[str, Annotated[Text, Field(max_length=200)] | float], Field(max_length=50)] = {}
    released: DryRun = False


class AnalysisOut(Schema):
    """The work that makes an analysis, and in ``result`` the analysis. ``id`` is null when it was there already."""

    id: int | None = None
    state: str
    done: int = 0
    total: int = 0
    result: dict[str, Any] | None = None
    problem: str = ""
    next_step: str = ""


@router.get(
    "/collections/{name}/analyses",
    response=list[AnalysisKindOut],
    summary="Every analysis, with its settings",
)
def list_analyses(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    user = reader(request)
    found = collection_for(user, name)
    rows = [(row.kind, row.refusal) for row in pages.listed_analyses(found, user)]
    return [
        {
            "name": kind.name,
            "title": kind.title,
            "says": kind.sentence,
            "needs": kind.needs,
            "settings": _settings(found, kind, user),
            "refused": refusal,
        }
        for kind, refusal in rows
    ]


def _settings(collection: Collection, kind: Kind, user: Any) -> list[dict[str, Any]]:
    return [
        {
            "name": one.name,
            "label": one.label,
            "default": one.value,
            "options": [value for value, _ in one.options],
            "least": one.least,
            "most": one.most,
        }
        for one in pages.controls(collection, kind, {}, user)
    ]


@router.post(
    "/collections/{name}/analyses/{slug:kind}",
    response={200: AnalysisOut, 202: AnalysisOut},
    summary="Have an analysis made; the same one again is the same work, or what was kept of it",
)
def make_analysis(
    request: HttpRequest, response: HttpResponse, name: str, kind: str, asked: AnalysisIn
) -> Status[dict[str, Any]]:
    user = reader(request)
    found = collection_for(user, name)
    require(user, "see everything", found)
    chosen = pages.kind_named(kind)
    meant = pages.asked_for(found, chosen, _given(found, chosen, asked), user)
    kept = result_of(key_of(meant))
    if kept is not None:
        return Status(200, {"state": Job.State.DONE, "result": analysis_content(kept)})
    job = jobs.ring_for(meant)
    response["Location"] = reverse("v1:read_analysis_work", args=[name, job.pk])
    return Status(202, work_out(job))


def _given(collection: Collection, kind: Kind, asked: AnalysisIn) -> QueryDict:
    """What is asked for as a page's form says it. Raises WrongSetting for a setting that there is none of."""
    known = [field.name for field in kind.fields] + ["campaign"] * kind.of_campaign
    whole = {field.name for field in kind.fields if isinstance(field, Number) and field.whole}
    given = QueryDict(mutable=True)
    for name, value in asked.settings.items():
        if name not in known:
            raise WrongSetting(f"settings: {unknown_name(name, known)}", "GET …/analyses lists them.")
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
    summary="What became of an analysis that was asked for, and what it says",
)
def read_analysis_work(request: HttpRequest, name: str, key: int) -> dict[str, Any]:
    user = reader(request)
    found = collection_for(user, name)
    require(user, "see everything", found)
    job = get_object_or_404(Job, pk=key, kind=jobs.ANALYSE, arguments__collection_id=found.pk)
    kept = result_of(job.result["key"]) if job.result else None
    return work_out(job) | {"result": analysis_content(kept) if kept else None}
