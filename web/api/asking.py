"""Whether a run is better than perfect: what asking people would take, and having the draft made that asks."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Router, Schema, Status

from accounts.models import ApiToken
from config.background.models import Job
from leaderboard import jobs
from web.access import collection_for, require
from web.api.bodies import Body
from web.api.callers import actor, reader
from web.api.works import Text, WorkOut, work_out
from web.preparing_forms import DEFAULTS
from web.services.asking import asked_for, plan_of

router = Router()


class AskingIn(Body):
    """The run, the known relevant passages of ``qrels`` that its passages meet, and how many are asked."""

    run: Annotated[Text, Field(min_length=1, max_length=200)]
    qrels: Annotated[Text, Field(min_length=1, max_length=80)]
    sample: Annotated[int, Field(ge=1, le=10**7)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**31)] = 1
    judgments_per_pair: Annotated[int, Field(ge=1, le=100)] = DEFAULTS.judgments_per_pair
    pairs_per_task: Annotated[int, Field(ge=1, le=100)] = DEFAULTS.pairs_per_task
    reward: Annotated[Decimal, Field(ge=0, le=10**9, decimal_places=2)] = DEFAULTS.reward


class NamedAskingIn(AskingIn):
    """The same with the name that the campaign is to have."""

    name: Annotated[Text, Field(min_length=1, max_length=80)]


class AskingOut(Schema):
    """What asking takes: pairs, one a query, and those that cannot be asked. ``cost``: dollars, fees included.

    ``on_top``: the known passage is the run's first and meets its second; ``elsewhere``: it meets the run's first.
    """

    pairs: int
    on_top: int
    elsewhere: int
    tasks: int
    cost: float
    missing: list[str]
    nothing_second: list[str]


@router.post(
    "/collections/{name}/better-than-perfect/plan",
    response=AskingOut,
    summary="What it takes to ask whether a run is better than perfect; changes nothing",
)
def read_asking_plan(request: HttpRequest, name: str, asked: AskingIn) -> dict[str, Any]:
    user = reader(request)
    found = collection_for(user, name)
    require(user, "see everything", found)
    plan = plan_of(asked_for(found, asked.dict()))
    return {one: getattr(plan, one) for one in ("pairs", "on_top", "elsewhere")} | {
        "tasks": plan.forecast.quote.tasks,
        "cost": float(plan.forecast.quote.total),
        "missing": list(plan.found.missing),
        "nothing_second": list(plan.found.nothing_second),
    }


@router.post(
    "/collections/{name}/better-than-perfect",
    response={202: WorkOut, 200: WorkOut},
    summary="Have the draft made that asks; the same one again is the same work",
)
def make_asking(
    request: HttpRequest, response: HttpResponse, name: str, asked: NamedAskingIn
) -> Status[dict[str, Any]]:
    user = actor(request, ApiToken.Scope.CAMPAIGNS)
    found = collection_for(user, name)
    require(user, "prepare campaign", found)
    meant = asked_for(found, asked.dict())
    job = jobs.ring_for_asking(
        name=asked.name,
        run=meant.run,
        qrel_set=meant.qrel_set,
        settings=meant.settings,
        sample=meant.sample,
        who=user.get_username(),
    )
    response["Location"] = reverse("v1:read_asking_work", args=[name, job.pk])
    return Status(200 if job.state == Job.State.DONE else 202, work_out(job))


@router.get(
    "/collections/{name}/better-than-perfect/work/{int:key}",
    response=WorkOut,
    summary="What became of a draft that was asked for",
)
def read_asking_work(request: HttpRequest, name: str, key: int) -> dict[str, Any]:
    user = reader(request)
    found = collection_for(user, name)
    require(user, "see everything", found)
    return work_out(get_object_or_404(jobs.asking_work(found), pk=key))
