"""The current state of a graded campaign's topics, for pages, the API and commands."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Count, Func, IntegerField, Max, Q

from judging.grading.assignments import is_left_undecided
from judging.grading.graded_campaigns import judged_so_far
from judging.models import Campaign, GradedCampaign, Topic, TopicAssignment, TopicDecision
from judging.rules.topic_effort import Effort, forecast_effort
from judging.rules.topic_life import Tally, stage_words

CANDIDATE, JUDGED, CHOOSING = "candidate", "being judged", "choosing passages"
LEFT, PREPARED = "left undecided", "prepared"


@dataclass(frozen=True)
class TopicState:
    """A topic with its assessor, progress and decision.

    ``given`` is the number of passages assigned so far. ``pool`` is the number of passages in the topic's pool, where
    a class of near-duplicates counts once. ``declined`` lists the assignments that have ended.
    """

    topic: Topic
    assignment: TopicAssignment | None
    pool: int
    given: int
    tally: Tally
    batch: int
    decisions: list[TopicDecision] = field(default_factory=list)
    declined: list[TopicAssignment] = field(default_factory=list)
    second: TopicAssignment | None = None

    @cached_property
    def decision(self) -> TopicDecision | None:
        """The decision in force, or None."""
        return next((one for one in self.decisions if one.reversed_at is None), None)

    @property
    def reversed(self) -> list[TopicDecision]:
        return [one for one in self.decisions if one.reversed_at is not None]

    @cached_property
    def state(self) -> str:
        """The verdict if the topic is decided, otherwise one of the states named at the top of this module."""
        if self.decision is not None:
            return self.decision.verdict
        if self.assignment is None:
            return CANDIDATE
        if is_left_undecided(self.assignment):
            return LEFT
        crowd = self.assignment.crowd
        if crowd is not None and crowd.state in Campaign.BEFORE_LAUNCH and not self.tally.judged:
            return PREPARED
        return JUDGED if self.tally.judged < self.given else CHOOSING

    def was_taken_by(self, assessor: Any) -> bool:
        """Return whether this person has the topic, or had it before. Second opinions do not matter."""
        held = [*self.declined, *([self.assignment] if self.assignment else [])]
        return any(one.assessor_id == assessor.pk for one in held if not one.second)

    @property
    def free(self) -> bool:
        """True if an assessor or a new crowd can take the topic."""
        return self.state in (CANDIDATE, LEFT)

    @property
    def stage(self) -> str:
        """The name of the latest batch of passages, such as "iteration 1"; empty if nobody has the topic."""
        return stage_words(self.batch) if self.assignment is not None else ""

    @property
    def assessor(self) -> str:
        return self.assignment.who if self.assignment else ""

    def as_dict(self) -> dict[str, Any]:
        """Return the topic's state as a JSON-ready dict."""
        decision = self.decision
        return {
            "qid": self.topic.query.qid,
            "query": self.topic.query.text,
            "state": self.state,
            "stage": self.stage,
            "assessor": self.assessor,
            "pool": self.pool,
            "given": self.given,
            "judged": self.tally.judged,
            "relevant": self.tally.relevant,
            "density": round(self.tally.density, 4) if self.tally.judged else None,
            "reason": decision.reason if decision else "",
            "decided_by": decision.decided_by if decision else "",
            "decided_at": decision.decided_at if decision else None,
            "reversed": [
                {
                    "verdict": past.verdict,
                    "reason": past.reason,
                    "by": past.reversed_by,
                    "why": past.reversed_why,
                }
                for past in self.reversed
            ],
            "declined": [past.over_why for past in self.declined],
        }


class _ListLength(Func):
    """The number of elements of a JSON list."""

    function, output_field = "JSON_ARRAY_LENGTH", IntegerField()

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        return self.as_sql(compiler, connection, function="JSONB_ARRAY_LENGTH", **extra)


def states_of(campaign: GradedCampaign) -> list[TopicState]:
    """Return the state of each topic of the campaign, in the order of the queries."""
    counted = (
        TopicAssignment.objects.filter(topic__campaign=campaign)
        .select_related("assessor", "crowd")
        .annotate(
            given=Count("items"),
            judged=Count("items__grade"),
            relevant=Count("items", filter=Q(items__grade__gte=campaign.min_grade)),
            batch=Max("items__batch"),
        )
    )
    held: dict[int, Any] = {}
    second: dict[int, Any] = {}
    declined: dict[int, list[TopicAssignment]] = defaultdict(list)
    for one in counted.order_by("pk"):
        if one.over_at is not None:
            declined[one.topic_id].append(one)
        else:
            (second if one.second else held)[one.topic_id] = one
    decisions: dict[int, list[TopicDecision]] = defaultdict(list)
    for decision in TopicDecision.objects.filter(topic__campaign=campaign).order_by("pk"):
        decisions[decision.topic_id].append(decision)
    topics = campaign.topics.select_related("query").defer("order").order_by("query__position")
    topics = topics.annotate(pool=_ListLength("order"))
    return [
        TopicState(
            topic,
            one,
            topic.pool,
            one.given if one else 0,
            Tally(one.judged, one.relevant) if one else Tally(0, 0),
            (one.batch or 0) if one else 0,
            decisions[topic.pk],
            declined[topic.pk],
            second.get(topic.pk),
        )
        for topic in topics
        for one in (held.get(topic.pk),)
    ]


def grading_summary(campaign: GradedCampaign, states: list[TopicState]) -> dict[str, Any]:
    """Return the campaign's settings and progress as a JSON-ready dict."""
    return {
        "name": campaign.name,
        "pool": campaign.pool.name,
        "state": "ended" if campaign.ended_at else "open",
        "ended_why": campaign.ended_why,
        "budget": campaign.budget,
        "judged": judged_so_far(campaign),
        "min_grade": campaign.min_grade,
        "scale": [vars(level) for level in campaign.levels],
        "rules": vars(campaign.life),
        "topics": dict(Counter(one.state for one in states)),
        "effort": asdict(effort_of(campaign, states)),
    }


def effort_of(campaign: GradedCampaign, states: Sequence[TopicState]) -> Effort:
    """Forecast how many passages the campaign has to judge in topics that are not eliminated."""
    sizes = Counter(one.pool for one in states if one.state != TopicDecision.Verdict.ELIMINATED)
    return forecast_effort(sizes, campaign.life, campaign.budget)
