"""API of a campaign's workers, by their numbers: their records, and decisions about them."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema

from judging.jobs import continue_if_launched
from judging.models import Campaign, Worker
from judging.people import impact
from judging.people.exclusions import exclude_worker, reinstate_worker
from judging.people.rights import withdraw_worker, withdrawal_until
from web.api.bodies import Body, DryRun
from web.api.callers import campaign_to_change, reader
from web.api.works import Text
from web.common.access import campaign_for
from web.workers import pages as worker_pages

router = Router()
Limit = Annotated[int, Query(ge=1, le=1000)]
Offset = Annotated[int, Query(ge=0, le=2**31)]
Foreseen = TypeVar("Foreseen")
Filter = Literal["", "flagged", "at work", "excluded", "withdrawn", "reported"]


class FlagOut(Schema):
    """A reason to look at a worker. It is never a verdict."""

    name: str
    words: str


class WorkerOut(Schema):
    """A worker's record; null where there is no data. Dollars without fees."""

    worker: int
    standing: str
    reason: str
    tasks: int
    held: int
    judgments: int
    counted: int
    gold_seen: int
    gold_failed: int
    left_share: float | None
    agreement: float | None
    repeated: int
    repeated_same: int
    consistency: float | None
    seconds_per_pair: float | None
    reports: int
    paid: Decimal
    owed: Decimal
    simulated: bool
    flags: list[FlagOut]


class WorkerPage(Schema):
    """A page of workers; ``count`` is the number of all matches."""

    count: int
    workers: list[WorkerOut]


class DecisionOut(Schema):
    """An exclusion, and who revoked it; ``decided_by`` is empty if the rule decided."""

    rule: str
    reason: str
    failed_gold: int = Field(alias="failed")
    decided_at: datetime
    decided_by: str
    reversed_at: datetime | None
    reversed_by: str
    reversed_why: str


class MessageOut(Schema):
    """A message; ``failure`` is why the crowd did not deliver it."""

    direction: str
    subject: str
    text: str
    who: str
    created_at: datetime
    sent_at: datetime | None
    failure: str


class OneWorkerOut(Schema):
    """A worker: the record (null if they only appealed), decisions, and the latest messages, newest first."""

    worker: int
    record: WorkerOut | None
    decisions: list[DecisionOut]
    messages: list[MessageOut]


class DecisionIn(Body):
    """A decision about a worker and its reason. ``dry_run`` only returns the effects."""

    why: Annotated[Text, Field(max_length=2000)] = ""
    dry_run: DryRun = False


class WithdrawalIn(DecisionIn):
    """A withdrawal of a worker's judgments; ``late``: allow it after the campaign's deadline."""

    late: DryRun = False


class Excluded(Schema):
    """The expected effects of an exclusion; dollars with fees. ``done``: it has taken effect."""

    worker: int
    done: bool
    judgments: int
    tasks_repeated: int
    cost: Decimal
    gold_showings: int
    gold_accepted: int
    paid: Decimal
    beyond_budget: int
    offered_now: bool


class Reinstated(Schema):
    """The expected effects of a reinstatement: tasks, and dollars with fees. ``done``: it has taken effect."""

    worker: int
    done: bool
    counted: int
    judgments: int
    surplus: int
    other: int
    saved: Decimal


class WithdrawnOut(Schema):
    """The effects of withdrawing a worker's judgments; dollars with fees. ``until``: the deadline."""

    worker: int
    done: bool
    judgments: int
    tasks_repeated: int
    cost: Decimal
    until: datetime


@router.get(
    "/campaigns/{name}/workers", response=WorkerPage, summary="List workers by number, with their records"
)
def list_workers(
    request: HttpRequest,
    name: str,
    show: Filter = "",
    q: Annotated[str, Query(max_length=100)] = "",
    sort: Annotated[str, Query(pattern=f"^-?({'|'.join(worker_pages.SORTS)})$")] = "worker",
    limit: Limit = 100,
    offset: Offset = 0,
) -> dict[str, Any]:
    found = campaign_for(reader(request), name, "see everything")
    rows = worker_pages.chosen_records(worker_pages.records(found), show=show, found=q.strip(), sort=sort)
    return {"count": len(rows), "workers": rows[offset : offset + limit]}


@router.get(
    "/campaigns/{name}/workers/{int:key}",
    response=OneWorkerOut,
    summary="Get a worker's record, decisions and latest messages",
)
def read_worker(request: HttpRequest, name: str, key: int) -> dict[str, Any]:
    found = campaign_for(reader(request), name, "see everything")
    worker = worker_pages.campaign_worker(found, key)
    record, _ = worker_pages.record_for(found, worker)
    return {
        "worker": worker.pk,
        "record": record,
        "decisions": worker_pages.decisions_about(found, worker),
        "messages": worker_pages.messages_with_worker(found, worker)[: worker_pages.MESSAGES_SHOWN],
    }


@router.post(
    "/campaigns/{name}/workers/{int:key}/exclude",
    response=Excluded,
    summary="Exclude a worker, or preview the effects; others repeat the tasks and are paid",
)
def exclude(request: HttpRequest, name: str, key: int, asked: DecisionIn) -> dict[str, Any]:
    said, foreseen = _preview_or_decide(request, name, key, asked, impact.foresee_exclusion, exclude_worker)
    return said | {
        "tasks_repeated": foreseen.repeated,
        "beyond_budget": foreseen.beyond_budget,
        "gold_showings": foreseen.gold,
        "offered_now": foreseen.offered,
        **{name: getattr(foreseen, name) for name in ("judgments", "cost", "gold_accepted", "paid")},
    }


@router.post(
    "/campaigns/{name}/workers/{int:key}/reinstate",
    response=Reinstated,
    summary="Revoke an exclusion, or preview the effects",
)
def reinstate(request: HttpRequest, name: str, key: int, asked: DecisionIn) -> dict[str, Any]:
    said, foreseen = _preview_or_decide(
        request, name, key, asked, impact.foresee_reinstatement, reinstate_worker
    )
    return said | asdict(foreseen)


@router.post(
    "/campaigns/{name}/workers/{int:key}/withdraw",
    response=WithdrawnOut,
    summary="Withdraw a worker's judgments at their request, permanently, or preview the effects",
)
def withdraw(request: HttpRequest, name: str, key: int, asked: WithdrawalIn) -> dict[str, Any]:
    _, found = campaign_to_change(request, name, "judge workers")
    until = withdrawal_until(found, worker_pages.campaign_worker(found, key))
    take_out = partial(withdraw_worker, late=asked.late)
    said, foreseen = _preview_or_decide(request, name, key, asked, impact.foresee_exclusion, take_out)
    return said | {
        "judgments": foreseen.judgments,
        "tasks_repeated": foreseen.repeated,
        "cost": foreseen.cost,
        "until": until,
    }


def _preview_or_decide(
    request: HttpRequest,
    name: str,
    key: int,
    asked: DecisionIn,
    foresee: Callable[[Campaign, Worker], Foreseen],
    decide: Callable[..., object],
) -> tuple[dict[str, Any], Foreseen]:
    """Return the expected effects of a decision, and carry it out unless this is a dry run."""
    user, found = campaign_to_change(request, name, "judge workers")
    worker = worker_pages.campaign_worker(found, key)
    foreseen = foresee(found, worker)
    if not asked.dry_run:
        decide(found, worker, why=asked.why, who=user.get_username())
        continue_if_launched(found)
    return {"worker": worker.pk, "done": not asked.dry_run}, foreseen
