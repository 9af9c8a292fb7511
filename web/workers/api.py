"""API of a campaign's workers, by their numbers: records, decisions, reports and appeals, messages."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Router, Schema, Status

from judging.jobs import continue_if_launched, ring_to_deliver
from judging.models import Appeal, Campaign, Worker
from judging.people import appeal_answers, impact
from judging.people.appeal_answers import answer_appeal
from judging.people.exclusions import exclude_worker, reinstate_worker
from judging.people.rights import withdraw_worker, withdrawal_until
from judging.workers.messages import check_words, choose_addressees, write_message
from web.api.bodies import Body, DryRun
from web.api.callers import campaign_to_change, reader
from web.api.works import Text
from web.common.access import campaign_for
from web.workers import pages as worker_pages

router = Router()
Limit = Annotated[int, Query(ge=1, le=1000)]
Offset = Annotated[int, Query(ge=0, le=2**31)]
Why = Annotated[Text, Field(min_length=1, max_length=2000, pattern=r"\S")]
Filter = Literal["", "flagged", "at work", "excluded", "withdrawn", "reported"]


class FlagOut(Schema):
    """A reason to look at a worker. It is never a verdict."""

    name: str
    words: str


class WorkerOut(Schema):
    """A worker's record; values without data are null. Amounts are in dollars, without fees."""

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


class Repeated(Schema):
    """The expected effects of a decision that makes others repeat a worker's tasks.

    Amounts are in dollars, with fees. ``done``: whether the decision has taken effect.
    """

    worker: int
    done: bool
    judgments: int = Field(alias="foreseen.judgments")
    tasks_repeated: int = Field(alias="foreseen.repeated")
    cost: Decimal = Field(alias="foreseen.cost")


class Excluded(Repeated):
    """The expected effects of an exclusion. Amounts are in dollars, with fees.

    ``done``: whether the exclusion has taken effect.
    """

    gold_showings: int = Field(alias="foreseen.gold")
    gold_accepted: int = Field(alias="foreseen.gold_accepted")
    paid: Decimal = Field(alias="foreseen.paid")
    beyond_budget: int = Field(alias="foreseen.beyond_budget")
    offered_now: bool = Field(alias="foreseen.offered")


class WithdrawnOut(Repeated):
    """The effects of withdrawing a worker's judgments. Amounts are in dollars, with fees.

    ``until``: the deadline for the withdrawal.
    """

    until: datetime


class Reinstated(Schema):
    """The expected effects of a reinstatement. Amounts are in dollars, with fees.

    ``done``: whether the reinstatement has taken effect.
    """

    worker: int
    done: bool
    counted: int = Field(alias="foreseen.counted")
    judgments: int = Field(alias="foreseen.judgments")
    surplus: int = Field(alias="foreseen.surplus")
    other: int = Field(alias="foreseen.other")
    saved: Decimal = Field(alias="foreseen.saved")


@dataclass(frozen=True)
class Decided:
    """A decision about a worker: its expected effects, and whether it was carried out."""

    worker: int
    done: bool
    foreseen: impact.ExclusionForeseen | impact.ReinstatementForeseen
    until: datetime | None = None


class MessageIn(Body):
    """A message. ``dry_run`` only returns the recipients; ``workers`` lists the recipients if ``to`` is ``named``."""

    to: Literal["named", "excluded", "everybody"]
    workers: Annotated[list[Annotated[int, Field(ge=1, le=2**62)]], Field(max_length=1000)] = []
    subject: Annotated[Text, Field(min_length=1, max_length=200)]
    text: Annotated[Text, Field(min_length=1, max_length=4096)]
    dry_run: DryRun = False


class Written(Schema):
    """The numbers of the workers who receive a message. ``done``: whether it is being sent."""

    workers: list[int]
    done: bool


class Settling(Body):
    """A request to settle a report; ``why`` states the outcome."""

    why: Why


class Answer(Settling):
    """An answer to an appeal: the worker reads ``why``. ``reinstate`` revokes the exclusion."""

    reinstate: bool


class Settled(Schema):
    """The id of the settled report or appeal, such as ``r12`` or ``a3``."""

    settled: str


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
def exclude(request: HttpRequest, name: str, key: int, asked: DecisionIn) -> Decided:
    return _preview_or_decide(request, name, key, asked, impact.foresee_exclusion, exclude_worker)


@router.post(
    "/campaigns/{name}/workers/{int:key}/reinstate",
    response=Reinstated,
    summary="Revoke an exclusion, or preview the effects",
)
def reinstate(request: HttpRequest, name: str, key: int, asked: DecisionIn) -> Decided:
    return _preview_or_decide(request, name, key, asked, impact.foresee_reinstatement, reinstate_worker)


@router.post(
    "/campaigns/{name}/workers/{int:key}/withdraw",
    response=WithdrawnOut,
    summary="Withdraw a worker's judgments at their request, permanently, or preview the effects",
)
def withdraw(request: HttpRequest, name: str, key: int, asked: WithdrawalIn) -> Decided:
    _, found = campaign_to_change(request, name, "judge workers")
    until = withdrawal_until(found, worker_pages.campaign_worker(found, key))
    take_out = partial(withdraw_worker, late=asked.late)
    made = _preview_or_decide(request, name, key, asked, impact.foresee_exclusion, take_out)
    return replace(made, until=until)


def _preview_or_decide(
    request: HttpRequest,
    name: str,
    key: int,
    asked: DecisionIn,
    foresee: Callable[[Campaign, Worker], Any],
    decide: Callable[..., object],
) -> Decided:
    """Return the expected effects of a decision, and carry it out unless this is a dry run."""
    user, found = campaign_to_change(request, name, "judge workers")
    worker = worker_pages.campaign_worker(found, key)
    foreseen = foresee(found, worker)
    if not asked.dry_run:
        decide(found, worker, why=asked.why, who=user.get_username())
        continue_if_launched(found)
    return Decided(worker.pk, not asked.dry_run, foreseen)


@router.post(
    "/campaigns/{name}/messages",
    response={202: Written},
    summary="Message workers through the crowd, or preview the recipients; repeated texts are sent once",
)
def write(request: HttpRequest, name: str, asked: MessageIn) -> Status[dict[str, Any]]:
    user, found = campaign_to_change(request, name, "judge workers")
    people = choose_addressees(found, asked.to, asked.workers)
    check_words(asked.subject, asked.text)
    if not asked.dry_run:
        rows = write_message(found, people, subject=asked.subject, text=asked.text, who=user.get_username())
        ring_to_deliver(found, rows)
    return Status(202, {"workers": [one.pk for one in people], "done": not asked.dry_run})


@router.get(
    "/campaigns/{name}/reports",
    response=list[dict[str, Any]],
    summary="List reports of pairs, oldest first: open reports, or also settled reports",
)
def list_reports(request: HttpRequest, name: str, settled: bool = False) -> list[dict[str, Any]]:
    return appeal_answers.report_rows(campaign_for(reader(request), name, "see everything"), settled=settled)


@router.get(
    "/campaigns/{name}/appeals",
    response=list[dict[str, Any]],
    summary="List appeals, oldest first: open appeals, or also settled appeals",
)
def list_appeals(request: HttpRequest, name: str, settled: bool = False) -> list[dict[str, Any]]:
    return appeal_answers.appeals(campaign_for(reader(request), name, "see everything"), settled=settled)


@router.post(
    "/campaigns/{name}/reports/{int:key}",
    response=Settled,
    summary="Settle a report of a pair with its outcome",
)
def settle_report(request: HttpRequest, name: str, key: int, said: Settling) -> dict[str, Any]:
    user, found = campaign_to_change(request, name, "judge workers")
    appeal_answers.settle_report_or_appeal(found, f"r{key}", why=said.why, who=user.get_username())
    return {"settled": f"r{key}"}


@router.post(
    "/campaigns/{name}/appeals/{int:key}", response=Settled, summary="Answer an appeal; the worker reads why"
)
def answer(request: HttpRequest, name: str, key: int, said: Answer) -> dict[str, Any]:
    user, found = campaign_to_change(request, name, "judge workers")
    appeal = get_object_or_404(Appeal.objects.select_related("worker"), campaign=found, pk=key)
    answer_appeal(found, appeal, why=said.why, reinstate=said.reinstate, who=user.get_username())
    continue_if_launched(found)  # also notifies the worker
    return {"settled": f"a{key}"}
