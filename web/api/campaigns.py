"""Campaigns: read, steered, exported, challenged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from accounts.models import ApiToken
from judging.models import Campaign
from judging.pay import rounded
from judging.services.budget import raise_budget
from judging.services.campaigns import pause, resume
from judging.services.closing import close
from judging.services.exporting import rows_for_others
from judging.services.status import campaign_status
from pooling.services.finding import runs_tagged
from pooling.services.members import visible_to
from tournament.models import Challenge
from tournament.services import latest_version_now
from web import jobs
from web.access import campaign_for, require
from web.api.bodies import Body, DryRun
from web.api.callers import actor, reader
from web.api.works import WorkOut, work_out
from web.services.campaigns import Progress, campaigns_of, progress_of
from web.services.directions import in_words

router = Router()


class CampaignOut(Schema):
    """A campaign and how far it is."""

    name: str
    collection: str
    state: str
    judgments_counted: int
    judgments_wanted: int
    tasks_done: int
    tasks: int
    budget: Annotated[
        Decimal | None, Field(description="Dollars; of a limit, for members of the collection.")
    ]
    spent: Annotated[Decimal | None, Field(description="Dollars paid, for members of the collection.")]
    owed: Annotated[Decimal | None, Field(description="Dollars owed, for members of the collection.")]
    exclusions: int
    simulated: bool
    created_at: datetime
    launched_at: datetime | None
    closed_at: datetime | None


class Reason(Body):
    """Why; kept in the campaign's log with who."""

    why: Annotated[str, Field(max_length=2000)] = ""


class BudgetIn(Reason):
    """The most that the campaign may commit, in dollars, and why."""

    amount: Annotated[Decimal, Field(gt=0, le=10**9, decimal_places=2)]


class ChallengeOut(Schema):
    """A challenge of the current best answers by new runs."""

    number: int
    rule: str
    run_tags: list[str]
    state: str
    created_at: datetime
    done_at: datetime | None


class ChallengeIn(Body):
    """Which runs challenge. ``dry_run`` only says what it would take; ``confirm_spend`` agrees to real money."""

    runs: Annotated[list[str], Field(min_length=1, max_length=200)]
    rule: Literal["lead2", "single"] = "lead2"
    dry_run: DryRun = False
    confirm_spend: Annotated[Decimal, Field(ge=0, le=10**9, decimal_places=2)] | None = None


@router.get(
    "/campaigns", response=list[CampaignOut], summary="Campaigns that the caller sees, the newest first"
)
def list_campaigns(request: HttpRequest) -> list[dict[str, Any]]:
    user = reader(request)
    return [_facts(one) for one in progress_of(campaigns_of(list(visible_to(user)), user), user)]


@router.get("/campaigns/{name}", response=CampaignOut, summary="One campaign")
def read_campaign(request: HttpRequest, name: str) -> dict[str, Any]:
    return read_facts(request, campaign_for(reader(request), name))


@router.get(
    "/campaigns/{name}/status", response=dict[str, Any], summary="Everything that is known of how it goes"
)
def read_status(request: HttpRequest, name: str) -> dict[str, Any]:
    found = campaign_for(user := reader(request), name)
    require(user, "see everything", found.collection)
    status = campaign_status(found) | {"latest_version": latest_version_now(found.collection)}
    # Our own sentences alone: what workers and managers wrote stays as it was written.
    status["problems"] = [in_words(one) for one in status["problems"]]
    status["stalled"] = [
        one | {part: in_words(one[part]) for part in ("why", "next", "words")} for one in status["stalled"]
    ]
    return status | {"next": in_words(status["next"])}


@router.post("/campaigns/{name}/pause", response=CampaignOut, summary="Offer nothing more for now")
def pause_campaign(request: HttpRequest, name: str, reason: Reason) -> dict[str, Any]:
    return _steer(request, name, pause, reason, jobs.after_offering_less)


@router.post("/campaigns/{name}/resume", response=CampaignOut, summary="Go on after a pause")
def resume_campaign(request: HttpRequest, name: str, reason: Reason) -> dict[str, Any]:
    return _steer(request, name, resume, reason, jobs.after_offering_more)


@router.post(
    "/campaigns/{name}/close",
    response=CampaignOut,
    summary="End it: closed when nothing is under way any more",
)
def close_campaign(request: HttpRequest, name: str, reason: Reason) -> dict[str, Any]:
    return _steer(request, name, close, reason, jobs.after_offering_less)


@router.post(
    "/campaigns/{name}/budget",
    response=CampaignOut,
    summary="Let it commit up to this amount, fees included; the same amount again changes nothing",
)
def change_budget(request: HttpRequest, name: str, asked: BudgetIn) -> dict[str, Any]:
    user = actor(request, ApiToken.Scope.CAMPAIGNS)
    found = campaign_for(user, name)
    require(user, "spend money", found.collection)
    if found.budget != asked.amount:
        raise_budget(found, asked.amount, why=asked.why, by=user)
        if found.state in Campaign.OFFERING:
            jobs.after_offering_more(found)
    return read_facts(request, found)


def _steer(
    request: HttpRequest,
    name: str,
    step: Callable[..., None],
    reason: Reason,
    ring: Callable[[Campaign], None],
) -> dict[str, Any]:
    user = actor(request, ApiToken.Scope.CAMPAIGNS)
    found = campaign_for(user, name)
    require(user, "steer campaign", found.collection)
    step(found, why=reason.why, who=user.get_username())
    if found.launched_at is not None:
        ring(found)
    return read_facts(request, found)


@router.get(
    "/campaigns/{name}/judgments",
    summary="Judgments and gold answers as JSON lines, with pseudonyms made for this answer",
    openapi_extra={
        "responses": {
            200: {"description": "OK", "content": {"application/jsonl": {"schema": {"type": "string"}}}}
        }
    },
)
def read_judgments(request: HttpRequest, name: str) -> StreamingHttpResponse:
    found = campaign_for(user := reader(request), name)
    require(user, "export judgments", found.collection)
    return StreamingHttpResponse(_lines(found), content_type="application/jsonl")


def _lines(campaign: Campaign) -> Iterator[bytes]:
    for row in rows_for_others(campaign):
        if row is not None:
            yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


@router.get("/campaigns/{name}/challenges", response=list[ChallengeOut], summary="Challenges, by number")
def list_challenges(request: HttpRequest, name: str) -> list[Challenge]:
    found = campaign_for(user := reader(request), name)
    require(user, "see everything", found.collection)
    return list(Challenge.objects.filter(campaign=found).order_by("number"))


@router.post(
    "/campaigns/{name}/challenges",
    response={202: WorkOut},
    summary="Have new runs challenge the best answers, or ask what that would take",
)
def open_challenge(request: HttpRequest, name: str, asked: ChallengeIn) -> Status[dict[str, Any]]:
    user = actor(request, ApiToken.Scope.CAMPAIGNS)
    found = campaign_for(user, name)
    require(user, "plan challenge" if asked.dry_run else "open challenge", found.collection)
    if asked.confirm_spend is not None:
        require(user, "spend money", found.collection)
    runs_tagged(found.collection, asked.runs)  # a name that is wrong is said at once
    return Status(202, work_out(jobs.ring_for_challenge(found, asked.dict(), who=user.get_username())))


@router.get(
    "/campaigns/{name}/challenges/work/{int:key}",
    response=WorkOut,
    summary="What became of a challenge that was asked for",
)
def read_challenge_work(request: HttpRequest, name: str, key: int) -> dict[str, Any]:
    found = campaign_for(user := reader(request), name)
    require(user, "plan challenge", found.collection)
    return work_out(get_object_or_404(jobs.challenge_work(found), pk=key))


def read_facts(request: Any, campaign: Campaign) -> dict[str, Any]:
    """The campaign as calls answer it to whoever calls."""
    return _facts(progress_of([campaign], request.auth.user)[0])


def _facts(progress: Progress) -> dict[str, Any]:
    campaign = progress.campaign
    same = ("tasks_done", "tasks", "exclusions", "simulated")
    times = ("created_at", "launched_at", "closed_at")
    return {name: getattr(progress, name) for name in same} | {
        "name": campaign.name,
        "collection": campaign.collection.name,
        "state": campaign.label,
        "judgments_counted": progress.counted,
        "judgments_wanted": progress.wanted,
        **(_money(progress) if progress.everything else dict.fromkeys(("budget", "spent", "owed"))),
        **{name: getattr(campaign, name) for name in times},
    }


def _money(progress: Progress) -> dict[str, Decimal | None]:
    """Dollars to the cent; SQLite adds up with more digits than that."""
    budget = progress.campaign.budget
    return {
        "budget": None if budget is None else rounded(budget),
        "spent": rounded(progress.spent),
        "owed": rounded(progress.owed),
    }
