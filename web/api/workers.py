"""Workers of a campaign, by our numbers: what they did, and what is decided about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema

from accounts.models import ApiToken
from judging.models import Campaign, Worker
from judging.services import foreseeing
from judging.services.reinstating import exclude_worker, reinstate_worker
from judging.services.rights import withdraw_worker, withdrawal_until
from judging.services.worker_records import WorkerRecord
from web import jobs
from web.access import campaign_for, require
from web.api.bodies import Body, DryRun
from web.api.callers import actor, reader
from web.api.works import Text
from web.services import worker_pages

router = Router()
Limit = Annotated[int, Query(ge=1, le=1000)]
Offset = Annotated[int, Query(ge=0, le=2**31)]
Foreseen = TypeVar("Foreseen")
Filter = Literal["", "flagged", "at work", "excluded", "withdrawn", "reported"]


class FlagOut(Schema):
    """What about a worker a person may want to look at, and why; never a verdict."""

    name: str
    words: str


class WorkerOut(Schema):
    """A worker's record; null where there is nothing to count from. Dollars without fees."""

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
    """Some of the workers; ``count`` is of all that fit."""

    count: int
    workers: list[WorkerOut]


class DecisionOut(Schema):
    """An exclusion, and who took it back; ``decided_by`` is empty for the rule itself."""

    rule: str
    reason: str
    failed_gold: int
    decided_at: datetime
    decided_by: str
    reversed_at: datetime | None
    reversed_by: str
    reversed_why: str


class MessageOut(Schema):
    """What was written; ``failure`` says why the crowd did not deliver it."""

    direction: str
    subject: str
    text: str
    who: str
    created_at: datetime
    sent_at: datetime | None
    failure: str


class OneWorkerOut(Schema):
    """A worker: the record (null for somebody who only appealed), decisions and the last messages, newest first."""

    worker: int
    record: WorkerOut | None
    decisions: list[DecisionOut]
    messages: list[MessageOut]


class DecisionIn(Body):
    """A decision about a worker and why. ``dry_run`` only says what it would come to."""

    why: Annotated[Text, Field(max_length=2000)] = ""
    dry_run: DryRun = False


class WithdrawalIn(DecisionIn):
    """The same for judgments that a worker takes back; ``late``: also after the campaign's days for it."""

    late: DryRun = False


class Excluded(Schema):
    """What an exclusion comes to, as it was foreseen; dollars with fees. ``done``: it was decided."""

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
    """What a reinstatement comes to, as it was foreseen; tasks, and dollars with fees. ``done``: it was decided."""

    worker: int
    done: bool
    counted: int
    judgments: int
    surplus: int
    other: int
    saved: Decimal


class WithdrawnOut(Schema):
    """What taking a worker's judgments out comes to; dollars with fees. ``until``: the end of the days for it."""

    worker: int
    done: bool
    judgments: int
    tasks_repeated: int
    cost: Decimal
    until: datetime


@router.get("/campaigns/{name}/workers", response=WorkerPage, summary="Workers by number, with their records")
def list_workers(
    request: HttpRequest,
    name: str,
    show: Filter = "",
    q: Annotated[str, Query(max_length=100)] = "",
    sort: Annotated[str, Query(pattern=f"^-?({'|'.join(worker_pages.SORTS)})$")] = "worker",
    limit: Limit = 100,
    offset: Offset = 0,
) -> dict[str, Any]:
    found = seen(request, name)
    rows = worker_pages.chosen_records(worker_pages.records(found), show=show, found=q.strip(), sort=sort)
    return {"count": len(rows), "workers": [_record(row) for row in rows[offset : offset + limit]]}


@router.get(
    "/campaigns/{name}/workers/{int:key}",
    response=OneWorkerOut,
    summary="One worker: record, decisions, the last messages",
)
def read_worker(request: HttpRequest, name: str, key: int) -> dict[str, Any]:
    found = seen(request, name)
    worker = worker_pages.worker_for(found, key)
    record, _ = worker_pages.record_for(found, worker)
    said = worker_pages.messages_kept(found, worker)[: worker_pages.MESSAGES_SHOWN]
    return {
        "worker": worker.pk,
        "record": _record(record) if record else None,
        "decisions": [_decision(row) for row in worker_pages.decisions_about(found, worker)],
        "messages": [{name: getattr(row, name) for name in MessageOut.model_fields} for row in said],
    }


@router.post(
    "/campaigns/{name}/workers/{int:key}/exclude",
    response=Excluded,
    summary="Exclude a worker, or ask what that would come to; others repeat the tasks, and they are paid",
)
def exclude(request: HttpRequest, name: str, key: int, asked: DecisionIn) -> dict[str, Any]:
    said, foreseen = _decided(request, name, key, asked, foreseeing.foresee_exclusion, exclude_worker)
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
    summary="Take an exclusion back, or ask what that would come to",
)
def reinstate(request: HttpRequest, name: str, key: int, asked: DecisionIn) -> dict[str, Any]:
    said, foreseen = _decided(request, name, key, asked, foreseeing.foresee_reinstatement, reinstate_worker)
    return said | asdict(foreseen)


@router.post(
    "/campaigns/{name}/workers/{int:key}/withdraw",
    response=WithdrawnOut,
    summary="Take a worker's judgments out at the worker's wish, for good, or ask what that would come to",
)
def withdraw(request: HttpRequest, name: str, key: int, asked: WithdrawalIn) -> dict[str, Any]:
    _, found = judged(request, name)
    until = withdrawal_until(found, worker_pages.worker_for(found, key))
    take_out = partial(withdraw_worker, late=asked.late)
    said, foreseen = _decided(request, name, key, asked, foreseeing.foresee_exclusion, take_out)
    return said | {
        "judgments": foreseen.judgments,
        "tasks_repeated": foreseen.repeated,
        "cost": foreseen.cost,
        "until": until,
    }


def seen(request: HttpRequest, name: str) -> Campaign:
    """The campaign, for members of its collection."""
    found = campaign_for(user := reader(request), name)
    require(user, "see everything", found.collection)
    return found


def judged(request: HttpRequest, name: str) -> tuple[Any, Campaign]:
    """Who calls, and the campaign whose workers this person decides about."""
    user = actor(request, ApiToken.Scope.CAMPAIGNS)
    found = campaign_for(user, name)
    require(user, "judge workers", found.collection)
    return user, found


def _decided(
    request: HttpRequest,
    name: str,
    key: int,
    asked: DecisionIn,
    foresee: Callable[[Campaign, Worker], Foreseen],
    decide: Callable[..., object],
) -> tuple[dict[str, Any], Foreseen]:
    """What a decision comes to, foreseen before it is made; made unless only that was asked for."""
    user, found = judged(request, name)
    worker = worker_pages.worker_for(found, key)
    foreseen = foresee(found, worker)
    if not asked.dry_run:
        decide(found, worker, why=asked.why, who=user.get_username())
        offer_more(found)
    return {"worker": worker.pk, "done": not asked.dry_run}, foreseen


def offer_more(campaign: Campaign) -> None:
    """Tasks may be free again: have them offered, and workers told."""
    if campaign.launched_at is not None:
        jobs.after_offering_more(campaign)


def _record(row: WorkerRecord) -> dict[str, Any]:
    return {name: getattr(row, name) for name in WorkerOut.model_fields if name != "flags"} | {
        "flags": [asdict(flag) for flag in row.flags]
    }


def _decision(row: Any) -> dict[str, Any]:
    same = [name for name in DecisionOut.model_fields if name != "failed_gold"]
    return {name: getattr(row, name) for name in same} | {"failed_gold": row.failed}
