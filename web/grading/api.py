"""API of graded campaigns: create and track them, decide and judge topics."""

from datetime import datetime
from typing import Annotated, Any

from django.http import Http404, HttpRequest
from ninja import Field, Router, Schema, Status

from accounts.models import ApiToken
from judging.grading import assignments, graded_campaigns, graded_labels, grades
from judging.grading.topic_states import grading_summary, states_of
from judging.models import GradedCampaign
from judging.rules.grade_scale import FOUR_LEVELS, Level
from pooling.collections.members import may
from pooling.models import Pool
from web.api.bodies import Body
from web.api.callers import collection_to_change, reader
from web.api.works import Text
from web.common.access import collection_in_sight, require
from web.grading import pages

router = Router()
Qid = Annotated[Text, Field(min_length=1, max_length=200)]
Why = Annotated[Text, Field(max_length=5000)]


class LevelIn(Body):
    """A level of the scale; its grade is its position, from 0."""

    name: Annotated[Text, Field(min_length=1, max_length=80)]
    definition: Annotated[Text, Field(min_length=1, max_length=1000)]
    example: Annotated[Text, Field(max_length=2000)] = ""


class GradedCampaignIn(Body):
    """A new graded campaign over a pool. ``rules``: the values that differ from the defaults.

    ``learn_from_all``: active learning also uses the grades of the collection's other graded campaigns.
    """

    name: Annotated[Text, Field(min_length=1, max_length=80)]
    pool: Annotated[Text, Field(min_length=1, max_length=80)]
    scale: Annotated[list[LevelIn], Field(min_length=2, max_length=10)] | None = None
    min_grade: Annotated[int, Field(ge=1, le=9)] = 2
    rules: dict[Text, float] = {}
    budget: Annotated[int, Field(ge=1, le=graded_campaigns.MOST_BUDGET)] | None = None
    learn_from_all: bool = False
    instructions: Annotated[Text, Field(max_length=20_000)] = ""
    seed: Annotated[int, Field(ge=0, le=graded_campaigns.MOST_SEED)] = 1
    placeholder_text: bool = False
    small_pools: bool = False
    """Accept pools so small that the rules discard their topics early; otherwise they are refused."""


class EffortOut(Schema):
    """A forecast of the numbers of passages to judge, in four cases, and of topics with small pools.

    ``openings``: if every topic is discarded after its opening. ``pools``: if every topic needs its whole pool.
    ``accepted``: if every topic is accepted as early as possible. ``most``: the budget; null without a budget, since
    the rules set no limit.

    ``small``: number of topics whose pool is smaller than the opening. ``few``: number of topics with at most
    ``few_up_to`` passages, too few to be accepted: relevant passages that suffice for acceptance make up so large a
    share of such a pool that the rules discard the topic.
    """

    topics: int
    small: int
    few: int
    few_up_to: int
    openings: int
    pools: int
    accepted: int
    most: int | None


class GradedCampaignOut(Schema):
    """A graded campaign's settings and progress. ``topics``: state → number of topics."""

    name: str
    pool: str
    state: str
    ended_why: str
    budget: int | None
    judged: int
    min_grade: int
    scale: list[dict[str, str]]
    rules: dict[str, float]
    topics: dict[str, int]
    effort: EffortOut


class TopicOut(Schema):
    """A topic's current state. ``decided_by`` is empty if the rules decided the topic."""

    qid: str
    query: str
    state: str
    stage: str
    assessor: str
    pool: int
    given: int
    judged: int
    relevant: int
    density: float | None
    reason: str
    decided_by: str
    decided_at: datetime | None
    reversed: list[dict[str, str]]
    declined: list[str]


class TopicsOut(GradedCampaignOut):
    """A graded campaign with its topics: members get all topics, assessors get free topics and their own."""

    listed: list[TopicOut]


class DecisionIn(Body):
    """A decision on a topic: eliminate, discard, accept or reject it, or reverse such a decision.

    A decision can also take the topic from its assessor.
    """

    qid: Qid
    decision: Annotated[Text, Field(max_length=20)]
    why: Why


class EndIn(Body):
    """The reason for ending the judging."""

    why: Why


class ReopenIn(EndIn):
    """The reason for reopening the judging, and the new budget (default: the old one)."""

    budget: Annotated[int, Field(ge=1, le=graded_campaigns.MOST_BUDGET)] | None = None


class LabelsIn(Body):
    """The name of the new labels, and whether they are withheld.

    ``incomplete``: leave out passages whose grades were withdrawn and that have not been judged again.
    """

    set: Annotated[Text, Field(min_length=1, max_length=80)]
    withheld: bool = False
    incomplete: bool = False


class LabelsOut(Schema):
    """The new labels, and the topics that they were made from."""

    set: str
    topics: list[dict[str, Any]]


class GradeRow(Schema):
    """A grade, and how its passage came to be judged.

    ``standing``: *current*, *replaced* by a later grade, *undone* by the assessor, or *withdrawn* because too few of
    the crowd's judgments still count. ``counts``: whether the grade is current and its assessor still has the topic.
    ``stage``: the part of the pool, or the number of the active-learning iteration, from 1; empty for a second
    opinion. ``fraction``: *n* if the pool has only one in *n* passages of the corpus.
    """

    qid: str
    pid: str
    grade: int
    source: str
    stage: str
    rank: int | None
    assignment: int
    assessor: str
    second: bool
    given_at: datetime
    standing: str
    counts: bool
    fraction: int | None
    fraction_seed: int | None


@router.get(
    "/collections/{name}/grading", response=list[GradedCampaignOut], summary="List graded campaigns by name"
)
def list_graded_campaigns(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    user = reader(request)
    found = collection_in_sight(user, name)
    pages.require_sight(user, found)
    rows = GradedCampaign.objects.filter(collection=found).select_related("pool").order_by("name")
    return [grading_summary(one, states_of(one)) for one in rows]


@router.post(
    "/collections/{name}/grading",
    response={201: GradedCampaignOut},
    summary="Create a graded campaign; every query of the pool is a topic",
)
def create_graded_campaign(
    request: HttpRequest, name: str, asked: GradedCampaignIn
) -> Status[dict[str, Any]]:
    user, found = collection_to_change(request, name, "run grading", ApiToken.Scope.CAMPAIGNS)
    pool = Pool.objects.filter(collection=found, name=asked.pool).first()
    if pool is None:
        raise Http404("There is no such pool.")
    said = asked.dict(exclude={"name", "pool", "scale"})
    levels = tuple(Level(**vars(one)) for one in asked.scale) if asked.scale else FOUR_LEVELS
    made = graded_campaigns.create_graded_campaign(
        pool=pool,
        name=asked.name,
        settings=graded_campaigns.GradingSettings(scale=levels, **said),
        who=user.get_username(),
    )
    return Status(201, grading_summary(made, states_of(made)))


@router.get(
    "/collections/{name}/grading/{graded}", response=TopicsOut, summary="Get a graded campaign and its topics"
)
def read_graded_campaign(request: HttpRequest, name: str, graded: str) -> dict[str, Any]:
    user = reader(request)
    campaign = _graded_campaign_to_read(user, name, graded)
    states = states_of(campaign)
    listed = states
    if not may(user, "see everything", campaign.collection):
        listed = [
            one
            for one in states
            if one.free
            or one.assessor == user.get_username()
            or (one.second and one.second.assessor_id == user.pk)
        ]
    return grading_summary(campaign, states) | {"listed": [one.as_dict() for one in listed]}


@router.delete(
    "/collections/{name}/grading/{graded}",
    response={204: None},
    summary="Delete a graded campaign whose judging has not begun",
)
def delete_graded_campaign(request: HttpRequest, name: str, graded: str) -> Status[None]:
    user, campaign = _graded_campaign_to_change(request, name, graded, "run grading")
    graded_campaigns.delete_graded_campaign(campaign, who=user.get_username())
    return Status(204, None)


@router.post(
    "/collections/{name}/grading/{graded}/decisions",
    response=TopicOut,
    summary="Decide a topic by hand, reverse its decision, or take it from its assessor",
)
def decide_topic(request: HttpRequest, name: str, graded: str, asked: DecisionIn) -> dict[str, Any]:
    user, campaign = _graded_campaign_to_change(request, name, graded, "run grading")
    topic = assignments.topic_named(campaign, asked.qid)
    grades.carry_out_decision(topic, asked.decision, why=asked.why, who=user.get_username())
    return next(one.as_dict() for one in states_of(campaign) if one.topic.pk == topic.pk)


@router.post(
    "/collections/{name}/grading/{graded}/end",
    response=GradedCampaignOut,
    summary="End the judging and decide every topic that was started",
)
def end_grading(request: HttpRequest, name: str, graded: str, asked: EndIn) -> dict[str, Any]:
    user, campaign = _graded_campaign_to_change(request, name, graded, "run grading")
    graded_campaigns.end_campaign(campaign, why=asked.why, who=user.get_username())
    return grading_summary(campaign, states_of(campaign))


@router.post(
    "/collections/{name}/grading/{graded}/reopen",
    response=GradedCampaignOut,
    summary="Continue judging; decisions made by ending it are reversed",
)
def reopen_grading(request: HttpRequest, name: str, graded: str, asked: ReopenIn) -> dict[str, Any]:
    user, campaign = _graded_campaign_to_change(request, name, graded, "run grading")
    graded_campaigns.reopen_campaign(campaign, why=asked.why, budget=asked.budget, who=user.get_username())
    return grading_summary(campaign, states_of(campaign))


@router.post(
    "/collections/{name}/grading/{graded}/labels",
    response={201: LabelsOut},
    summary="Publish labels from the accepted topics",
)
def publish_labels(request: HttpRequest, name: str, graded: str, asked: LabelsIn) -> Status[dict[str, Any]]:
    user, campaign = _graded_campaign_to_change(request, name, graded, "add files")
    made = graded_labels.publish_labels(
        campaign,
        set_name=asked.set,
        withheld=asked.withheld,
        incomplete=asked.incomplete,
        who=user.get_username(),
    )
    return Status(201, {"set": made.qrel_set.name, "topics": made.topics})


@router.get(
    "/collections/{name}/grading/{graded}/grades",
    response=list[GradeRow],
    summary="Export every grade, with the source of its passage",
)
def list_grades(request: HttpRequest, name: str, graded: str) -> list[dict[str, Any]]:
    user = reader(request)
    campaign = _graded_campaign_to_read(user, name, graded)
    require(user, "export judgments", campaign.collection)
    return list(graded_labels.grades_of(campaign))


def _graded_campaign_to_read(user: Any, name: str, graded: str) -> GradedCampaign:
    found = collection_in_sight(user, name)
    pages.require_sight(user, found)
    return pages.graded_campaign_of(found, graded)


def _graded_campaign_to_change(
    request: HttpRequest, name: str, graded: str, action: str
) -> tuple[Any, GradedCampaign]:
    user, found = collection_to_change(request, name, action, ApiToken.Scope.CAMPAIGNS)
    return user, pages.graded_campaign_of(found, graded)
