"""API to prepare campaigns: drafts, settings, gold pairs, texts, rehearsals, pilots and launches."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Router, Schema, Status

from accounts.models import ApiToken, User
from config.errors import Refusal
from judging.campaign.campaign_settings import (
    change_settings,
    check_changeable,
    check_for_people,
    promise_hourly,
    settings_of,
)
from judging.campaign.campaigns import FITTED, CampaignSettings, create_campaign
from judging.campaign.gold_labels import labels_for_gold
from judging.campaign.gold_pairs import check_gold_size, decide_gold, import_gold_content, needed_gold
from judging.campaign.gold_proposals import gold_work
from judging.campaign.rehearsal_copy import rehearsals_asked_for
from judging.campaign.screening_forecast import slips_of
from judging.campaign.worker_texts import accept_texts, set_texts
from judging.errors import BadInput
from judging.grading.crowd_grading import create_crowd_campaign
from judging.grading.graded_campaigns import graded_campaign_named
from judging.jobs import ring_for_gold, ring_to_post_places
from judging.launch import launches
from judging.launch.pilots import pilot_campaign
from judging.models import Campaign, GoldPair, GradedCampaign
from judging.simulation.rehearsals import truth_named
from judging.simulation.simulated_workers import SimulationSettings
from pooling.models import Pool
from web.api.bodies import Body
from web.api.callers import campaign_to_change, collection_to_change, reader
from web.api.parts import length_of
from web.api.works import Text, WorkOut, work_accepted, work_out
from web.campaigns.api import CampaignOut, read_facts
from web.common.access import campaign_for
from web.common.campaign_rows import Progress
from web.preparation.jobs import ring_for_gold_texts, ring_for_rehearsal

router = Router()
Dollars = Annotated[Decimal, Field(ge=0, le=10**9, decimal_places=2)]
Whole = Annotated[int, Field(ge=-(2**62), le=2**62)]
LINES = {
    "requestBody": {"required": True, "content": {"text/plain": {"schema": {"type": "string"}}}},
}
Words = Annotated[Text, Field(max_length=20_000)]


class SettingsIn(Body):
    """A campaign's settings. Omitted settings stay; in a new campaign, they are those of the reference experiment."""

    pairs_per_task: Whole | None = None
    gold_per_task: Whole | None = None
    repeats_per_task: Whole | None = None
    judgments_per_pair: Whole | None = None
    max_tasks_per_worker: Whole | None = None
    screen: Literal["reference", "two-strikes", "rate"] | None = None
    slip_rate: Annotated[float, Field(ge=0, le=0.5)] | None = None
    reward: Dollars | None = None
    pay: Literal["split", "whole"] | None = None
    base_reward: Dollars | None = None
    budget: Dollars | None = None
    minimum_hourly: Dollars | None = None
    hold_hours: Whole | None = None
    assignment_seconds: Whole | None = None
    minimum_seconds: Whole | None = None
    minimum_age: Whole | None = None
    withdrawal_days: Whole | None = None
    answer_days: Whole | None = None
    allow_undecided: bool | None = None
    mark_query_words: bool | None = None
    placeholder_text: bool | None = None
    refuse_excluded_elsewhere: bool | None = None
    preset: Literal["", "reference"] | None = None
    language: Annotated[Text, Field(max_length=20)] | None = None
    contact: Annotated[Text, Field(max_length=200)] | None = None
    seed: Whole | None = None


class SettingsChanged(SettingsIn):
    """Settings to change; omitted settings stay the same.

    ``screen`` can be ``recommended``, the rule that the check list recommends.
    """

    screen: Literal["reference", "two-strikes", "rate", "recommended"] | None = None  # type: ignore[assignment]


class CampaignIn(SettingsIn):
    """A new draft over a pool, or a draft whose workers grade the topics of a graded campaign (``grading``)."""

    name: Annotated[Text, Field(min_length=1, max_length=80)]
    pool: Annotated[Text, Field(max_length=80)] = ""
    grading: Annotated[Text, Field(max_length=80)] = ""


class GoldOut(Schema):
    """A gold pair: a relevant passage and an off-topic one."""

    id: int
    state: str
    qid: str = Field(alias="query.qid")
    question: str = Field(alias="query.text")
    relevant: str = Field(alias="relevant.pid")
    relevant_text: str | None = Field(alias="relevant.text")
    off_topic: str = Field(alias="off_topic.pid")
    off_topic_text: str | None = Field(alias="off_topic.text")
    kind: Literal["", "easy", "hard"]
    why: str


class GoldPage(Schema):
    """A page of gold pairs. ``accepted`` and ``needed`` count gold pairs of the whole campaign."""

    count: int
    accepted: int
    needed: int
    gold: list[GoldOut]


class GoldWanted(Body):
    """The qrel set that provides the known answers. If ``qrels`` is empty, the pool's qrel set is used."""

    qrels: Annotated[Text, Field(max_length=200)] = ""


class GoldDecided(Body):
    """The ids of gold pairs: those to accept and those to drop."""

    accept: Annotated[list[Annotated[int, Field(ge=1, le=2**62)]], Field(max_length=10_000)] = []
    drop: Annotated[list[Annotated[int, Field(ge=1, le=2**62)]], Field(max_length=10_000)] = []


class TextsIn(Body):
    """Texts for workers; omitted texts stay the same. ``accept``: a person has read and approved all of them."""

    consent: Words | None = None
    instructions: Words | None = None
    example: Words | None = None
    content_warning: Words | None = None
    ethics_approval: Annotated[Text, Field(max_length=200)] | None = None
    accept: bool = False


class RehearsalIn(Body):
    """The simulated workers; ``truth`` is the qrel set whose grades they follow.

    Without ``gold_error``, honest workers miss gold pairs or test passages at the rate that the campaign's forecast
    expects.
    """

    truth: Annotated[Text, Field(min_length=1, max_length=80)]
    workers: Annotated[int, Field(ge=1, le=200)] = 25
    careless: Annotated[int, Field(ge=0, le=200)] = 0
    error: Annotated[float, Field(ge=0, le=1)] = 0.1
    gold_error: Annotated[float, Field(ge=0, le=1)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**31)] = 1


class LaunchIn(Body):
    """The approved amount, as shown by the check list.

    ``accept_weak_screening``: launch even if tasks can be passed without reading, as the check list warns.
    """

    confirm_spend: Dollars
    accept_weak_screening: bool = False


class PilotIn(LaunchIn):
    """A pilot: the number of tasks, and whether their judgments count. ``confirm_spend``: the cost of these tasks."""

    tasks: Annotated[int, Field(ge=1, le=100_000)]
    counts: bool = False


@router.post(
    "/collections/{name}/campaigns",
    response={201: CampaignOut, 200: CampaignOut},
    summary="Create a draft over a pool; repeating the call returns the same draft",
)
def make_campaign(request: HttpRequest, name: str, asked: CampaignIn) -> Status[Progress]:
    user, found = collection_to_change(request, name, "prepare campaign", ApiToken.Scope.CAMPAIGNS)
    if bool(asked.pool) == bool(asked.grading):
        raise BadInput("Pass either a pool, or a graded campaign whose topics the workers grade.")
    grading = graded_campaign_named(found, asked.grading) if asked.grading else None
    pool = grading.pool if grading else get_object_or_404(found.pools, name=asked.pool)
    changes = _given_settings(asked, leave={"name", "pool", "grading", "minimum_hourly"})
    settings = CampaignSettings(**changes)
    who = user.get_username()
    try:
        made = (
            create_crowd_campaign(grading, name=asked.name, settings=settings, who=who)
            if grading
            else create_campaign(name=asked.name, settings=settings, pool=pool, who=who)
        )
    except Refusal:
        if (there := _same_draft(grading, pool, asked.name, settings)) is None:
            raise
        return Status(200, read_facts(request, there))  # a repeated call
    if asked.minimum_hourly is not None:
        promise_hourly(made, asked.minimum_hourly, who=who)
    return Status(201, read_facts(request, made))


def _same_draft(
    grading: GradedCampaign | None, pool: Pool, name: str, settings: CampaignSettings
) -> Campaign | None:
    """Return the campaign that the same call created earlier, else None.

    Settings adjusted to its tasks may differ if the call leaves their defaults.
    """
    there = Campaign.objects.filter(name=name, grading=grading, pool=pool, rehearsal_of=None).first()
    if there is None:
        return None
    now, usual = settings_of(there).values(), CampaignSettings().values()
    different = {name for name, value in settings.values().items() if now[name] != value}
    same = all(name in FITTED and getattr(settings, name) == usual[name] for name in different)
    return there if same else None


def _given_settings(asked: Schema, leave: set[str]) -> dict[str, Any]:
    """Return the call's settings; null clears only the budget and the minimum pay."""
    said = asked.dict(exclude_unset=True, exclude=leave)
    return {name: value for name, value in said.items() if value is not None or name == "budget"}


@router.patch("/campaigns/{name}/settings", response=CampaignOut, summary="Change settings before launch")
def edit_settings(request: HttpRequest, name: str, changes: SettingsChanged) -> Progress:
    user, found = campaign_to_change(request, name, "prepare campaign")
    change_settings(found, _given_settings(changes, leave={"minimum_hourly"}), who=user.get_username())
    if "minimum_hourly" in changes.dict(exclude_unset=True):
        promise_hourly(found, changes.minimum_hourly, who=user.get_username())
    return read_facts(request, found)


@router.get("/campaigns/{name}/gold", response=GoldPage, summary="List gold pairs with their texts")
def list_gold(
    request: HttpRequest,
    name: str,
    state: Literal["", "proposed", "accepted", "dropped", "suspended"] = "",
    kind: Literal["", "easy", "hard"] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> dict[str, Any]:
    found = campaign_for(reader(request), name, "prepare campaign")
    rows = found.gold_pairs.select_related("query", "relevant", "off_topic").order_by("pk")
    rows = rows.filter(state=state) if state else rows
    rows = rows.filter(kind=kind) if kind else rows
    return _gold_counts_out(found) | {"count": rows.count(), "gold": list(rows[offset : offset + limit])}


@router.post("/campaigns/{name}/gold/propose", response={202: WorkOut}, summary="Propose gold pairs")
def propose_gold(
    request: HttpRequest, response: HttpResponse, name: str, asked: GoldWanted
) -> Status[dict[str, Any]]:
    _, found = campaign_to_change(request, name, "prepare campaign")
    check_changeable(found)
    if asked.qrels:
        labels_for_gold(found, asked.qrels)
    job = ring_for_gold(found, qrels=asked.qrels)
    return work_accepted(response, "read_preparation", name, job)


@router.post(
    "/campaigns/{name}/gold", response=GoldPage, summary="Accept or drop gold pairs that a person has checked"
)
def decide_about_gold(request: HttpRequest, name: str, decided: GoldDecided) -> dict[str, Any]:
    user, found = campaign_to_change(request, name, "prepare campaign")
    check_changeable(found)
    for ids, accept in ((decided.accept, True), (decided.drop, False)):
        if ids:
            decide_gold(found, ids, accept=accept, who=user.get_username())
    return _gold_counts_out(found)


def _gold_counts_out(campaign: Campaign) -> dict[str, Any]:
    return {
        "count": campaign.gold_pairs.count(),
        "accepted": campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED).count(),
        "needed": needed_gold(campaign),
        "gold": [],
    }


@router.post(
    "/campaigns/{name}/gold/file",
    response=GoldPage,
    summary="Add accepted gold pairs: lines of qid, relevant pid, off-topic pid [kind] as the request body",
    openapi_extra=LINES,
)
def bring_own_gold(
    request: HttpRequest, name: str, file_name: Annotated[str, Query(max_length=100)] = "gold.txt"
) -> dict[str, Any]:
    user, found = campaign_to_change(request, name, "prepare campaign")
    check_changeable(found)
    check_gold_size(length_of(request))
    import_gold_content(found, request.read(length_of(request)), name=file_name, who=user.get_username())
    ring_for_gold_texts(found, user)
    return _gold_counts_out(found)


@router.put("/campaigns/{name}/texts", response=CampaignOut, summary="Set and accept the texts for workers")
def put_texts(request: HttpRequest, name: str, texts: TextsIn) -> Progress:
    user, found = campaign_to_change(request, name, "prepare campaign")
    check_changeable(found)
    given = {key: text for key, text in texts.dict(exclude={"accept"}).items() if text is not None}
    if given:
        set_texts(found, **given)
    if texts.accept:
        accept_texts(found, who=user.get_username())
    return read_facts(request, found)


@router.post(
    "/campaigns/{name}/rehearse",
    response={202: WorkOut},
    summary="Have simulated workers judge a copy; while they do, another call returns the same job",
)
def rehearse(
    request: HttpRequest, response: HttpResponse, name: str, asked: RehearsalIn
) -> Status[dict[str, Any]]:
    user, found = campaign_to_change(request, name, "prepare campaign")
    check_changeable(found)
    given = asked.dict()
    if asked.gold_error is None:
        given["gold_error"] = round(slips_of(found).expected, 4)
    truth = truth_named(found, given.pop("truth"))
    job = ring_for_rehearsal(found, truth, SimulationSettings(**given), who=user.get_username())
    return work_accepted(response, "read_preparation", name, job)


@router.get(
    "/campaigns/{name}/preparation/{int:key}",
    response=WorkOut,
    summary="Get the progress and result of a rehearsal or of proposing gold pairs",
)
def read_preparation(request: HttpRequest, name: str, key: int) -> dict[str, Any]:
    found = campaign_for(reader(request), name, "prepare campaign")
    work = rehearsals_asked_for(found) | gold_work(found)
    return work_out(get_object_or_404(work, pk=key))


@router.post("/campaigns/{name}/pilot", response=CampaignOut, summary="Start a pilot with a few tasks")
def pilot(request: HttpRequest, name: str, asked: PilotIn) -> Progress:
    user, found = _campaign_to_launch(request, name)
    terms = launches.Terms(
        confirm_spend=asked.confirm_spend, accept_weak_screening=asked.accept_weak_screening
    )
    if not pilot_campaign(found, tasks=asked.tasks, counts=asked.counts, terms=terms, by=user).already:
        ring_to_post_places(found)
    return read_facts(request, found)


@router.post(
    "/campaigns/{name}/launch",
    response=CampaignOut,
    summary="Launch with the amount that the check list names; repeating the call changes nothing",
)
def launch(request: HttpRequest, name: str, asked: LaunchIn) -> Progress:
    user, found = _campaign_to_launch(request, name)
    launched = launches.launch_campaign(
        found,
        confirm_spend=asked.confirm_spend,
        accept_weak_screening=asked.accept_weak_screening,
        by=user,
    )
    if not launched.already:
        ring_to_post_places(found)
    return read_facts(request, found)


def _campaign_to_launch(request: HttpRequest, name: str) -> tuple[User, Campaign]:
    """Return the caller, who spends the money, and the campaign."""
    user, found = campaign_to_change(request, name, "launch campaign")
    check_for_people(found)
    return user, found
