from datetime import datetime
from typing import Annotated, Any

from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from accounts.models import ApiToken
from judging.campaign.campaigns import CampaignSettings
from judging.launch.forecast import Pace, forecast_pairs
from pooling import jobs
from pooling.collections.lookups import runs_tagged
from pooling.errors import PoolRefused
from pooling.models import Collection, Pool
from pooling.pools.pool_plans import plan_pool
from web.api.bodies import Body
from web.api.callers import actor, reader
from web.api.works import Text, WorkOut, work_accepted, work_out
from web.common.access import collection_for
from web.pools.pages import PoolRequest, pool_asked_for, runs_without_priority

router = Router()
Tag = Annotated[Text, Field(min_length=1, max_length=200)]


class PoolAsked(Body):
    """The runs whose passages to pool (default: all runs of passages), and the labels to pool from.

    The relevant passages in ``qrels`` are added. ``priority`` *n* selects the runs with priority 1 to *n*, and
    ``round`` selects the runs of a round. With both, a run must meet both conditions; the runs named in ``runs`` are
    added to the selection. With ``priority``, a run without a priority is pooled only if ``runs`` names it.
    """

    runs: Annotated[list[Tag], Field(max_length=4000)] = []
    priority: Annotated[int, Field(ge=1, le=10**6)] | None = None
    round: Annotated[Text, Field(max_length=80)] = ""
    qrels: Annotated[Text, Field(max_length=80)] = ""
    depth: Annotated[int, Field(ge=1, le=100)] = 1
    queries: Annotated[list[Tag], Field(max_length=100_000)] = []
    labeled_only: bool = False
    """Leave out queries without a relevant passage in ``qrels``, which must be named."""
    sample: Annotated[int, Field(ge=1, le=10**7)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**31)] = 1
    min_size: Annotated[int, Field(ge=1, le=10_000)] = 1


class PoolIn(PoolAsked):
    """The passages to pool, and the pool's name. With ``fraction``, only one in that many passages can be pooled."""

    name: Annotated[Text, Field(min_length=1, max_length=80)]
    fraction: Annotated[int, Field(ge=2, le=10**6)] | None = None
    fraction_seed: Annotated[int, Field(ge=0, le=2**31)] = 1


class PoolPlanOut(Schema):
    """A planned pool: the number of queries by pool size, each run's passages, and the cost with default settings."""

    queries: int
    passages: int
    pairs: int
    tasks: int
    cost: float
    days: int
    singletons: int
    histogram: dict[int, int]
    runs: dict[str, dict[str, int]]
    giants: list[str]
    share_no_passage: list[str]
    """Runs that share no passage with the other runs and labels: they may retrieve documents."""
    without_priority: int
    """The number of runs that are not pooled because they have no priority, if ``priority`` is given."""


class PoolOut(Schema):
    """An existing pool."""

    name: str
    depth: int
    qrels: str | None
    sample: int | None
    seed: int | None
    min_size: int
    fraction: int | None
    fraction_seed: int | None
    priority: int | None
    round: str
    created_at: datetime


class PooledRunOut(Schema):
    """A pooled run, with the priority that it had when the pool was built.

    ``named``: whether it was named in addition to the runs that were chosen by priority or round.
    """

    run_tag: str
    priority: int | None
    named: bool


class PoolWithRunsOut(PoolOut):
    """An existing pool and its runs."""

    runs: list[PooledRunOut]


@router.get("/collections/{name}/pools", response=list[PoolOut], summary="List pools by name")
def list_pools(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    found = collection_for(reader(request), name, "see everything")
    return [_pool_out(row) for row in found.pools.select_related("qrel_set").order_by("name")]


@router.get("/collections/{name}/pools/{pool}", response=PoolWithRunsOut, summary="Get a pool and its runs")
def read_pool(request: HttpRequest, name: str, pool: str) -> dict[str, Any]:
    found = collection_for(reader(request), name, "see everything")
    row = get_object_or_404(Pool.objects.select_related("qrel_set"), collection=found, name=pool)
    runs = row.pool_runs.order_by("run__run_tag").values("priority", "named", run_tag=F("run__run_tag"))
    return _pool_out(row) | {"runs": list(runs)}


@router.post(
    "/collections/{name}/pool-plan",
    response=PoolPlanOut,
    summary="Plan a pool and its judging cost; changes nothing",
)
def read_plan(request: HttpRequest, name: str, asked: PoolAsked) -> dict[str, Any]:
    found = collection_for(reader(request), name, "see everything")
    meant = _pool_meant(found, asked)
    plan = plan_pool(collection=found, **meant.arguments)
    forecast = forecast_pairs(CampaignSettings(), plan.stats.pairs, Pace())
    stats = plan.stats
    same = ("queries", "passages", "pairs", "singletons", "histogram")
    return {one: getattr(stats, one) for one in same} | {
        "tasks": forecast.quote.tasks,
        "cost": float(forecast.quote.total),
        "days": forecast.days,
        "runs": {run.run_tag: {"passages": one.passages, "unique": one.unique} for run, one in plan.runs},
        "giants": [plan.qids[place] for place in plan.outliers.giant.tolist()],
        "share_no_passage": [run.run_tag for run in plan.apart],
        "without_priority": runs_without_priority(found, found.runs.all(), meant),
    }


@router.post(
    "/collections/{name}/pools",
    response={202: WorkOut, 200: WorkOut},
    summary="Build a pool in the background; repeating the call returns the same job",
)
def create_pool(
    request: HttpRequest, response: HttpResponse, name: str, asked: PoolIn
) -> Status[dict[str, Any]]:
    person = actor(request, ApiToken.Scope.CAMPAIGNS)
    found = collection_for(person, name, "prepare campaign")
    wanted = _pool_meant(found, asked).arguments
    job = jobs.ring_for_pool(collection=found, name=asked.name, who=person.get_username(), **wanted)
    return work_accepted(response, "read_pool_work", name, job)


@router.get(
    "/collections/{name}/pools/work/{int:key}",
    response=WorkOut,
    summary="Get the progress and result of building a pool",
)
def read_pool_work(request: HttpRequest, name: str, key: int) -> dict[str, Any]:
    found = collection_for(reader(request), name, "see everything")
    return work_out(get_object_or_404(jobs.pool_work(found), pk=key))


def _pool_meant(collection: Collection, asked: PoolAsked) -> PoolRequest:
    if asked.labeled_only and not asked.qrels:
        raise PoolRefused("labeled_only needs qrels, the labels that the queries must have.")
    named = runs_tagged(collection, asked.runs) if asked.runs else []
    everything = collection.runs.order_by("run_tag")
    return pool_asked_for(collection, asked.dict(), everything, named, asked.queries or None)


def _pool_out(row: Pool) -> dict[str, Any]:
    same = [one for one in PoolOut.model_fields if one != "qrels"]
    return {one: getattr(row, one) for one in same} | {"qrels": row.qrel_set.name if row.qrel_set else None}
