"""Assign topics to assessors, end assignments, and assign second opinions on a sample of the judged passages."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db import transaction

from config import clock
from judging.errors import BadInput, CampaignRefused
from judging.grading.decisions import assignment_of, lock_topic, standing_decision
from judging.models import Campaign, GradedCampaign, GradedItem, Topic, TopicAssignment
from judging.rules.topic_life import next_of_pool
from pooling.errors import NotFound

#: The maximum number of passages in a second opinion.
SAMPLE = 30
ENDED = "The judging has ended."


def topic_named(campaign: GradedCampaign, qid: str) -> Topic:
    """Return the campaign's topic for this query. Raises NotFound."""
    found = campaign.topics.filter(query__qid=qid).select_related("query", "campaign").first()
    if found is None:
        raise NotFound(f"Graded campaign {campaign.name} has no topic {qid!r}.")
    return found


def take_topic(topic: Topic, assessor: Any) -> TopicAssignment:
    """Assign the topic to the assessor, with the opening of its pool. Raises CampaignRefused if it is not free."""
    with transaction.atomic():
        lock_topic(topic)
        held = assignment_of(topic)
        if held is not None and held.assessor_id == assessor.pk:
            return held
        if held is not None and not is_left_undecided(held):
            raise CampaignRefused(f"Topic {topic.query.qid} is already taken.", "Choose another topic.")
        if (decision := standing_decision(topic)) is not None:
            raise CampaignRefused(f"Topic {topic.query.qid} is {decision.verdict}.", "Choose another topic.")
        if topic.campaign.ended_at is not None:
            raise CampaignRefused(ENDED)
        if topic.assignments.filter(assessor=assessor, second=True, over_at=None).exists():
            raise CampaignRefused(
                f"You gave the second opinion on topic {topic.query.qid}.", "Choose another topic."
            )
        if held is not None:
            take_from_crowd(held)
        topic.refresh_from_db(fields=["order"])  # near-duplicates may have changed until now
        made = TopicAssignment.objects.create(topic=topic, assessor=assessor)
        assign_passages(made, next_of_pool(topic.order, 0, topic.campaign.life), batch=0)
    return made


def is_left_undecided(held: TopicAssignment) -> bool:
    """Return whether the assignment's crowd campaign is closed or archived. If so, an undecided topic is free."""
    crowd = held.crowd
    return crowd is not None and (crowd.state == Campaign.State.CLOSED or crowd.archived_at is not None)


def take_from_crowd(held: TopicAssignment) -> None:
    """End the assignment of a crowd whose campaign is closed or archived, so that others can start the topic over."""
    closed = held.crowd is not None and held.crowd.state == Campaign.State.CLOSED
    end = "closed" if closed else "was archived"
    end_assignment(held, why=f"The campaign {end} before the topic was decided.", who="")


def take_second_opinion(topic: Topic, assessor: Any) -> TopicAssignment:
    """Assign the assessor a sample of the passages that another assessor or a crowd judged for a decided topic.

    Raises CampaignRefused if the topic is undecided or has no judged passage, if this assessor judged it or had it
    before, or if somebody else gives its second opinion.
    """
    qid = topic.query.qid
    with transaction.atomic():
        lock_topic(topic)
        first = assignment_of(topic)
        if first is None or standing_decision(topic) is None:
            raise CampaignRefused(f"Topic {qid} is not finished.", "Choose a finished topic.")
        if topic.assignments.filter(assessor=assessor, second=False).exists():
            raise CampaignRefused(f"You judged topic {qid} yourself.", "Choose another topic.")
        second = topic.assignments.filter(second=True, over_at=None).first()
        if second is not None and second.assessor_id != assessor.pk:
            raise CampaignRefused(f"Topic {qid} already has a second opinion.", "Choose another topic.")
        if second is not None:
            return second
        judged = first.items.filter(grade__isnull=False).order_by("position")
        keys = list(judged.values_list("passage_id", flat=True))
        if not keys:
            raise CampaignRefused(f"No passage of topic {qid} has been judged.", "Choose another topic.")
        rng = np.random.default_rng([abs(topic.campaign.seed), topic.query.position])
        drawn = rng.permutation(len(keys))[:SAMPLE].tolist()
        made = TopicAssignment.objects.create(topic=topic, assessor=assessor, second=True)
        assign_passages(made, [(keys[one], None) for one in drawn], batch=0, source=GradedItem.Source.SAMPLE)
    return made


def assign_passages(
    assignment: TopicAssignment,
    passages: Sequence[tuple[int, int | None]],
    *,
    batch: int,
    source: str = GradedItem.Source.POOL,
) -> None:
    """Add passages, given as (key, smallest rank in any run), to the end of an assignment."""
    begin = assignment.items.count()
    GradedItem.objects.bulk_create(
        (
            GradedItem(
                assignment=assignment, passage_id=key, position=place, batch=batch, source=source, rank=rank
            )
            for place, (key, rank) in enumerate(passages, begin)
        ),
        batch_size=500,
    )


@transaction.atomic
def end_assignment(assignment: TopicAssignment, *, why: str, who: str) -> None:
    """End an assignment, because the assessor declines the topic or staff take it away. Its grades stay on record.

    Another assessor starts the topic over. Raises BadInput for a missing reason, and CampaignRefused if the topic is
    decided or the assignment has already ended.
    """
    if not why.strip():
        raise BadInput("The reason is missing.", "Say why.")
    topic = assignment.topic
    lock_topic(topic)
    if not assignment.second and (decision := standing_decision(topic)) is not None:
        raise CampaignRefused(
            f"Topic {topic.query.qid} is {decision.verdict}.", "Reverse that decision first."
        )
    there = TopicAssignment.objects.filter(pk=assignment.pk, over_at=None)
    if not there.update(over_at=clock.now(), over_by=who, over_why=why.strip()):
        raise CampaignRefused(f"Topic {topic.query.qid} was already declined or taken away.")
