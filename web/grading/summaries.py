"""Graded campaigns and assessors' topics in brief, for lists, next steps and the home page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from accounts.roles import Role
from judging.grading.topic_states import states_of
from judging.models import GradedCampaign, GradedItem, GradedLabels, Topic, TopicAssignment, TopicDecision
from pooling.models import Collection
from web.common.row_counts import count_by
from web.grading.pages import assignments_held_by

Verdict = TopicDecision.Verdict


@dataclass(frozen=True)
class GradedProgress:
    """A graded campaign in a list: passages judged, topics decided and accepted, and qrel sets published."""

    campaign: GradedCampaign
    judged: int
    topics: int
    decided: int
    accepted: int
    labels: list[str]
    """The names of the published sets, newest first."""

    @property
    def done(self) -> bool:
        return self.campaign.ended_at is not None or 0 < self.topics <= self.decided


def graded_progress(collections: Sequence[Collection]) -> list[GradedProgress]:
    """Return the graded campaigns of these collections, newest first, in a fixed number of database queries."""
    found = GradedCampaign.objects.filter(collection__in=[one.pk for one in collections])
    campaigns = list(found.select_related("collection", "pool").order_by("-created_at", "-pk"))
    if not campaigns:
        return []
    keys = [one.pk for one in campaigns]
    items = GradedItem.objects.filter(assignment__topic__campaign__in=keys, assignment__second=False)
    judged = count_by(items.filter(grade__isnull=False), "assignment__topic__campaign")
    topics = count_by(Topic.objects.filter(campaign__in=keys), "campaign")
    standing = TopicDecision.objects.filter(topic__campaign__in=keys, reversed_at=None)
    decided = count_by(standing, "topic__campaign")
    accepted = count_by(standing.filter(verdict=Verdict.ACCEPTED), "topic__campaign")
    labels: dict[int, list[str]] = {key: [] for key in keys}
    published = GradedLabels.objects.filter(campaign__in=keys).order_by("-pk")
    for key, name in published.values_list("campaign", "qrel_set__name"):
        labels[key].append(name)
    return [
        GradedProgress(
            one,
            judged=judged[one.pk],
            topics=topics[one.pk],
            decided=decided[one.pk],
            accepted=accepted[one.pk],
            labels=labels[one.pk],
        )
        for one in campaigns
    ]


@dataclass(frozen=True)
class TopicsToJudge:
    """An assessor's work in a graded campaign: assignments that are not finished, and the number of free topics."""

    campaign: GradedCampaign
    begun: list[TopicAssignment]
    free: int


def topics_to_judge(user: Any, roles: Mapping[int, Role]) -> list[TopicsToJudge]:
    """Return the graded campaigns in which the person has topics to judge, or can take some as an assessor.

    ``roles``: the person's roles, by collection key.
    """
    begun: dict[GradedCampaign, list[TopicAssignment]] = {}
    for one in _unfinished(user, roles):
        begun.setdefault(one.topic.campaign, []).append(one)
    assesses = [key for key, role in roles.items() if role == Role.ASSESSOR]
    open_ones = GradedCampaign.objects.filter(collection__in=assesses, ended_at=None)
    free = {one: _free_topics(one) for one in open_ones.select_related("collection").order_by("pk")}
    found = [TopicsToJudge(one, begun.get(one, []), free.get(one, 0)) for one in {**begun, **free}]
    return [one for one in found if one.begun or one.free]


def _unfinished(user: Any, roles: Mapping[int, Role]) -> QuerySet[TopicAssignment]:
    """Return the person's topics without a decision in open campaigns, and second opinions that lack grades."""
    decided = TopicDecision.objects.filter(reversed_at=None).values("topic")
    lacking = GradedItem.objects.filter(grade=None).values("assignment")
    first = Q(second=False, topic__campaign__ended_at=None) & ~Q(topic__in=decided)
    held = assignments_held_by(user).filter(topic__campaign__collection__in=list(roles))
    return held.filter(first | Q(second=True, pk__in=lacking)).order_by("pk")


def _free_topics(campaign: GradedCampaign) -> int:
    return sum(one.free for one in states_of(campaign))
