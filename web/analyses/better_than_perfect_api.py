"""API of "better than perfect" campaigns: plan a campaign and create its draft."""

from decimal import Decimal
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from accounts.models import ApiToken
from leaderboard import jobs
from web.analyses.better_than_perfect_plans import Plan, asking_plan, campaign_asked_for
from web.api.bodies import Body
from web.api.callers import collection_to_change, reader
from web.api.works import Text, WorkOut, work_accepted, work_out
from web.common.access import collection_for
from web.preparation.forms import DEFAULTS

router = Router()


class AskingIn(Body):
    """The run, the qrel set whose relevant passages it is compared with, and the number of queries to draw."""

    run: Annotated[Text, Field(min_length=1, max_length=200)]
    qrels: Annotated[Text, Field(min_length=1, max_length=80)]
    sample: Annotated[int, Field(ge=1, le=10**7)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**31)] = 1
    judgments_per_pair: Annotated[int, Field(ge=1, le=100)] = DEFAULTS.judgments_per_pair
    pairs_per_task: Annotated[int, Field(ge=1, le=100)] = DEFAULTS.pairs_per_task
    reward: Annotated[Decimal, Field(ge=0, le=10**9, decimal_places=2)] = DEFAULTS.reward


class NamedAskingIn(AskingIn):
    """The run and qrel set to compare, and the name of the new campaign."""

    name: Annotated[Text, Field(min_length=1, max_length=80)]


class AskingOut(Schema):
    """A plan: the number of pairs, one per query, and the qids of queries without a pair.

    ``missing``: the run has no passage. ``nothing_second``: all searched passages of the run have the text of the
    known passage. ``cost`` includes fees. ``on_top``: number of queries whose pair is the known passage, which the
    run ranks first, and the run's second. ``elsewhere``: number of queries whose pair is the run's first passage and
    a known passage that it ranks lower or not at all.
    """

    pairs: int
    on_top: int
    elsewhere: int
    tasks: int = Field(alias="forecast.quote.tasks")
    cost: float = Field(alias="forecast.quote.total")
    missing: list[str] = Field(alias="found.missing")
    nothing_second: list[str] = Field(alias="found.nothing_second")


@router.post(
    "/collections/{name}/better-than-perfect/plan",
    response=AskingOut,
    summary="Plan a campaign that asks whether a run is better than perfect; changes nothing",
)
def read_asking_plan(request: HttpRequest, name: str, asked: AskingIn) -> Plan:
    found = collection_for(reader(request), name, "see everything")
    return asking_plan(campaign_asked_for(found, asked.dict()))


@router.post(
    "/collections/{name}/better-than-perfect",
    response={202: WorkOut, 200: WorkOut},
    summary="Create the draft of a campaign that asks whether a run is better than perfect; repeating the call "
    "returns the same job",
)
def make_asking(
    request: HttpRequest, response: HttpResponse, name: str, asked: NamedAskingIn
) -> Status[dict[str, Any]]:
    user, found = collection_to_change(request, name, "prepare campaign", ApiToken.Scope.CAMPAIGNS)
    meant = campaign_asked_for(found, asked.dict())
    job = jobs.ring_for_asking(name=asked.name, who=user.get_username(), **vars(meant))
    return work_accepted(response, "read_asking_work", name, job)


@router.get(
    "/collections/{name}/better-than-perfect/work/{int:key}",
    response=WorkOut,
    summary="Get the progress and result of creating a draft",
)
def read_asking_work(request: HttpRequest, name: str, key: int) -> dict[str, Any]:
    found = collection_for(reader(request), name, "see everything")
    return work_out(get_object_or_404(jobs.asking_work(found), pk=key))
