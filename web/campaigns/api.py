import json
from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from judging.campaign.campaigns import pause, resume
from judging.campaign.drafts import delete_draft, rename_draft
from judging.jobs import ring_to_close_places, ring_to_continue
from judging.launch.archive import archive, restore
from judging.launch.closure import close
from judging.models import Campaign
from judging.money.budget import raise_budget
from judging.rules.pay import rounded
from judging.watching.status import campaign_status
from pooling.collections.lookups import runs_tagged
from pooling.collections.members import visible_to
from tournament.models import Challenge
from tournament.services import latest_version_now
from tournament.services.judgment_export import rows_for_others
from web.api.bodies import Body, DryRun
from web.api.caller_guidance import guidance_for
from web.api.callers import campaign_to_change, reader
from web.api.works import Text, WorkOut, work_out
from web.common.access import campaign_for, require
from web.common.campaign_rows import Progress, campaigns_of, campaigns_progress
from web.versions.jobs import ring_for_challenge
from web.versions.next_version import challenge_work

router = Router()


class CampaignOut(Schema):
    """A campaign and its progress."""

    name: str = Field(alias="campaign.name")
    collection: str = Field(alias="campaign.collection.name")
    state: str = Field(alias="campaign.label")
    judgments_counted: int = Field(alias="counted")
    judgments_wanted: int = Field(alias="wanted")
    tasks_done: int
    tasks: int
    budget: Annotated[
        Decimal | None, Field(description="Dollars; null without a limit, or if the caller is not a member.")
    ]
    spent: Annotated[
        Decimal | None, Field(description="Dollars paid; null for non-members of the collection.")
    ]
    owed: Annotated[
        Decimal | None, Field(description="Dollars owed; null for non-members of the collection.")
    ]
    exclusions: int
    simulated: bool
    created_at: datetime = Field(alias="campaign.created_at")
    launched_at: datetime | None = Field(alias="campaign.launched_at")
    closed_at: datetime | None = Field(alias="campaign.closed_at")
    archived_at: datetime | None = Field(
        alias="campaign.archived_at", description="Null unless the campaign is archived."
    )

    @staticmethod
    def resolve_budget(progress: Progress) -> Decimal | None:
        return _cents_for_member(progress, progress.campaign.budget)

    @staticmethod
    def resolve_spent(progress: Progress) -> Decimal | None:
        return _cents_for_member(progress, progress.spent)

    @staticmethod
    def resolve_owed(progress: Progress) -> Decimal | None:
        return _cents_for_member(progress, progress.owed)


def _cents_for_member(progress: Progress, amount: Decimal | None) -> Decimal | None:
    """Return an amount in dollars, rounded to cents because sums in SQLite have more digits; None for non-members."""
    return rounded(amount) if progress.everything and amount is not None else None


class NameIn(Body):
    """The campaign's new name, which is part of its addresses."""

    name: Annotated[Text, Field(min_length=1, max_length=80)]


class Reason(Body):
    """The reason, logged in the campaign with the caller's name."""

    why: Annotated[str, Field(max_length=2000)] = ""


class BudgetIn(Reason):
    """The most that the campaign can spend, in dollars, and the reason."""

    amount: Annotated[Decimal, Field(gt=0, le=10**9, decimal_places=2)]


class ChallengeOut(Schema):
    """A challenge by new runs to the current best answers."""

    number: int
    rule: str
    run_tags: list[str]
    state: str
    created_at: datetime
    done_at: datetime | None


class ChallengeIn(Body):
    """The challenging runs. ``dry_run`` only returns the plan.

    ``confirm_spend`` is the cost in dollars of real money that the caller agrees to.
    """

    runs: Annotated[list[str], Field(min_length=1, max_length=200)]
    rule: Literal["lead2", "single"] = "lead2"
    dry_run: DryRun = False
    confirm_spend: Annotated[Decimal, Field(ge=0, le=10**9, decimal_places=2)] | None = None


@router.get(
    "/campaigns",
    response=list[CampaignOut],
    summary="List the campaigns that the caller can see, newest first",
)
def list_campaigns(request: HttpRequest) -> list[Progress]:
    user = reader(request)
    return campaigns_progress(campaigns_of(list(visible_to(user)), user), user)


@router.get("/campaigns/{name}", response=CampaignOut, summary="Get a campaign")
def read_campaign(request: HttpRequest, name: str) -> Progress:
    return read_facts(request, campaign_for(reader(request), name))


@router.get("/campaigns/{name}/status", response=dict[str, Any], summary="Get the detailed status")
def read_status(request: HttpRequest, name: str) -> dict[str, Any]:
    found = campaign_for(reader(request), name, "see everything")
    status = campaign_status(found) | {"latest_version": latest_version_now(found.collection)}
    # Only our own sentences are reworded; what workers and managers wrote stays as it is.
    said = guidance_for(request)
    status["problems"] = [said(one) for one in status["problems"]]
    status["stalled"] = [
        one | {part: said(one[part]) for part in ("why", "next", "words")} for one in status["stalled"]
    ]
    return status | {"next": said(status["next"])}


@router.post("/campaigns/{name}/pause", response=CampaignOut, summary="Pause: offer no more tasks for now")
def pause_campaign(request: HttpRequest, name: str, reason: Reason) -> Progress:
    return _change_state(request, name, pause, reason, ring_to_close_places)


@router.post("/campaigns/{name}/resume", response=CampaignOut, summary="Resume after a pause")
def resume_campaign(request: HttpRequest, name: str, reason: Reason) -> Progress:
    return _change_state(request, name, resume, reason, ring_to_continue)


@router.post(
    "/campaigns/{name}/close",
    response=CampaignOut,
    summary="Close: stop offering tasks; the state is closed once all open work is done",
)
def close_campaign(request: HttpRequest, name: str, reason: Reason) -> Progress:
    return _change_state(request, name, close, reason, ring_to_close_places)


@router.post(
    "/campaigns/{name}/archive",
    response=CampaignOut,
    summary="Archive a draft or a closed campaign: lists then show it under Archived",
)
def archive_campaign(request: HttpRequest, name: str, reason: Reason) -> Progress:
    return _change_state(request, name, archive, reason)


@router.post("/campaigns/{name}/restore", response=CampaignOut, summary="Restore an archived campaign")
def restore_campaign(request: HttpRequest, name: str, reason: Reason) -> Progress:
    return _change_state(request, name, restore, reason)


@router.post(
    "/campaigns/{name}/budget",
    response=CampaignOut,
    summary="Set the budget, fees included; the same amount again changes nothing",
)
def change_budget(request: HttpRequest, name: str, asked: BudgetIn) -> Progress:
    user, found = campaign_to_change(request, name, "spend money")
    if found.budget != asked.amount:
        raise_budget(found, asked.amount, why=asked.why, by=user)
        if found.state in Campaign.OFFERING:
            ring_to_continue(found)
    return read_facts(request, found)


def _change_state(
    request: HttpRequest,
    name: str,
    step: Callable[..., None],
    reason: Reason,
    ring: Callable[[Campaign], object] | None = None,
) -> Progress:
    user, found = campaign_to_change(request, name, "steer campaign")
    step(found, why=reason.why, who=user.get_username())
    if ring and found.launched_at is not None:
        ring(found)
    return read_facts(request, found)


@router.post(
    "/campaigns/{name}/rename",
    response=CampaignOut,
    summary="Rename a draft that was never offered; its addresses change too",
)
def rename(request: HttpRequest, name: str, asked: NameIn) -> Progress:
    user, found = campaign_to_change(request, name, "prepare campaign")
    rename_draft(found, asked.name, who=user.get_username())
    return read_facts(request, found)


@router.delete(
    "/campaigns/{name}",
    response={204: None},
    summary="Delete a draft that was never offered, tried or rehearsed, with its pairs, tasks, gold pairs and texts",
)
def delete_campaign(request: HttpRequest, name: str) -> Status[None]:
    user, found = campaign_to_change(request, name, "prepare campaign")
    delete_draft(found, who=user.get_username())
    return Status(204, None)


@router.get(
    "/campaigns/{name}/judgments",
    summary="Export judgments and gold answers as JSON lines, with pseudonyms that differ in every response",
    openapi_extra={
        "responses": {
            200: {"description": "OK", "content": {"application/jsonl": {"schema": {"type": "string"}}}}
        }
    },
)
def read_judgments(request: HttpRequest, name: str) -> StreamingHttpResponse:
    found = campaign_for(reader(request), name, "export judgments")
    return StreamingHttpResponse(_exported_lines(found), content_type="application/jsonl")


def _exported_lines(campaign: Campaign) -> Iterator[bytes]:
    for row in rows_for_others(campaign):
        if row is not None:
            yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


@router.get("/campaigns/{name}/challenges", response=list[ChallengeOut], summary="List challenges by number")
def list_challenges(request: HttpRequest, name: str) -> list[Challenge]:
    found = campaign_for(reader(request), name, "see everything")
    return list(Challenge.objects.filter(campaign=found).order_by("number"))


@router.post(
    "/campaigns/{name}/challenges",
    response={202: WorkOut},
    summary="Have new runs challenge the best answers, or preview the cost",
)
def open_challenge(request: HttpRequest, name: str, asked: ChallengeIn) -> Status[dict[str, Any]]:
    user, found = campaign_to_change(request, name, "plan challenge" if asked.dry_run else "open challenge")
    if asked.confirm_spend is not None:
        require(user, "spend money", found.collection)
    runs_tagged(found.collection, asked.runs)  # report an unknown name at once
    return Status(202, work_out(ring_for_challenge(found, asked.dict(), who=user.get_username())))


@router.get(
    "/campaigns/{name}/challenges/work/{int:key}",
    response=WorkOut,
    summary="Get the progress and result of a challenge request",
)
def read_challenge_work(request: HttpRequest, name: str, key: int) -> dict[str, Any]:
    found = campaign_for(reader(request), name, "plan challenge")
    return work_out(get_object_or_404(challenge_work(found), pk=key))


def read_facts(request: Any, campaign: Campaign) -> Progress:
    return campaigns_progress([campaign], request.auth.user)[0]
