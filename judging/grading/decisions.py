"""Decisions about topics, made by the rules or by staff, and their reversal."""

from django.db import transaction
from django.db.models import Count, F, Q

from config import clock
from judging.errors import BadInput, CampaignRefused
from judging.models import GradedItem, Topic, TopicAssignment, TopicDecision
from judging.rules.topic_life import Decision, Tally, at_end

Verdict = TopicDecision.Verdict


def lock_topic(topic: Topic) -> None:
    """Lock the topic's row, so that concurrent changes of the topic take turns.

    Raises CampaignRefused if the topic was deleted with its campaign.
    """
    if not Topic.objects.filter(pk=topic.pk).update(query_id=F("query_id")):
        raise CampaignRefused(f"Graded campaign {topic.campaign.name} was deleted.", "Choose another one.")


def standing_decision(topic: Topic) -> TopicDecision | None:
    """Return the topic's decision that is in force, or None."""
    return topic.decisions.filter(reversed_at=None).first()


def assignment_of(topic: Topic) -> TopicAssignment | None:
    """Return the assignment of the topic's current assessor or crowd, whose grades count, or None."""
    return topic.assignments.filter(over_at=None, second=False).select_related("assessor", "crowd").first()


def tally_of(assignment: TopicAssignment | None, min_grade: int) -> Tally:
    """Count the judged and the relevant passages of an assignment."""
    if assignment is None:
        return Tally(0, 0)
    counted = GradedItem.objects.filter(assignment=assignment).aggregate(
        judged=Count("grade"), relevant=Count("grade", filter=Q(grade__gte=min_grade))
    )
    return Tally(counted["judged"], counted["relevant"])


def record_decision(topic: Topic, decision: Decision, tally: Tally, *, ending: bool = False) -> TopicDecision:
    """Record a decision of the rules. The caller has locked the topic and checked that no decision is in force."""
    return TopicDecision.objects.create(
        topic=topic,
        verdict=str(decision.verdict),
        reason=decision.reason,
        judged=tally.judged,
        relevant=tally.relevant,
        at_end=ending,
    )


def decide_at_end(topic: Topic, *, ending: bool = False) -> TopicDecision | None:
    """Accept or reject a topic whose judging is over, and return the decision; None if one is already in force.

    ``ending`` records that the end of the campaign led to this decision.
    """
    lock_topic(topic)
    if standing_decision(topic) is not None:
        return None
    tally = tally_of(assignment_of(topic), topic.campaign.min_grade)
    return record_decision(topic, at_end(tally, topic.campaign.life), tally, ending=ending)


def was_reversed_here(topic: Topic, tally: Tally) -> bool:
    """Return whether staff reversed a decision that the rules made at the present number of judgments.

    Decisions made when the campaign ended are ignored, because reopening the campaign reverses them.
    """
    ruled = topic.decisions.filter(decided_by="", at_end=False, judged=tally.judged)
    return ruled.exclude(reversed_at=None).exists()


@transaction.atomic
def decide_by_hand(topic: Topic, verdict: str, *, why: str, who: str) -> TopicDecision:
    """Record a staff decision. A topic that nobody has taken can be eliminated; other verdicts need judgments.

    Raises BadInput for an unknown verdict or a missing reason, and CampaignRefused if the verdict is not possible.
    """
    if verdict not in Verdict.values:
        raise BadInput(f"Unknown decision: {verdict!r}.", f"Choose from {', '.join(Verdict.values)}.")
    if not why.strip():
        raise BadInput("The reason is missing.", "State the reason for the decision.")
    lock_topic(topic)
    qid = topic.query.qid
    if (stands := standing_decision(topic)) is not None:
        raise CampaignRefused(f"Topic {qid} is already {stands.verdict}.", "Reverse that decision first.")
    assignment = assignment_of(topic)
    tally = tally_of(assignment, topic.campaign.min_grade)
    if verdict == Verdict.ELIMINATED and assignment is not None:
        raise CampaignRefused(
            f"Topic {qid} is taken, and only a topic that nobody has taken can be eliminated.",
            "Discard or reject it instead." if tally.judged else "Take it away first.",
        )
    if verdict != Verdict.ELIMINATED and not tally.judged:
        raise CampaignRefused(
            f"No passage of topic {qid} has been judged yet.",
            "Take it away and eliminate it instead." if assignment else "Eliminate it instead.",
        )
    return TopicDecision.objects.create(
        topic=topic,
        verdict=verdict,
        reason=why.strip(),
        judged=tally.judged,
        relevant=tally.relevant,
        decided_by=who,
    )


@transaction.atomic
def reverse_decision(decision: TopicDecision, *, why: str, who: str) -> None:
    """Reverse a decision. Raises BadInput for a missing reason, and CampaignRefused if it was already reversed."""
    if not why.strip():
        raise BadInput("The reason is missing.", "State why the decision is reversed.")
    lock_topic(decision.topic)
    stands = TopicDecision.objects.filter(pk=decision.pk, reversed_at=None)
    if not stands.update(reversed_at=clock.now(), reversed_by=who, reversed_why=why.strip()):
        raise CampaignRefused("The decision was already reversed.")
