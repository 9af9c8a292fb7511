"""Passages of a crowd's finished topics, withdrawn from tasks before anybody else judges them."""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from judging.models import (
    Campaign,
    Grade,
    GradedItem,
    Pair,
    Submission,
    Task,
    TaskPair,
    TopicAssignment,
    TopicDecision,
)

EXCLUDED = Submission.Standing.EXCLUDED


def undecided_assignments(campaign: Campaign) -> QuerySet[TopicAssignment]:
    """Return the assignments whose topics the campaign's workers judge: undecided ones, until the judging ends."""
    decided = TopicDecision.objects.filter(topic=OuterRef("topic"), reversed_at=None)
    return TopicAssignment.objects.filter(
        ~Exists(decided), crowd=campaign, over_at=None, topic__campaign__ended_at=None
    )


def passages_not_needed(campaign: Campaign) -> QuerySet[Pair]:
    """Return the passages of finished topics, except those whose grade an accepted topic has lost.

    Such a grade was that of a worker who was excluded or withdrew. Labels are made from accepted topics, so the
    passage is judged again.
    """
    mine = TopicAssignment.objects.filter(crowd=campaign)
    finished = mine.exclude(pk__in=undecided_assignments(campaign)).values_list("topic__query", flat=True)
    accepted = TopicDecision.objects.filter(reversed_at=None, verdict=TopicDecision.Verdict.ACCEPTED)
    lost = GradedItem.objects.filter(
        Exists(Grade.objects.filter(item=OuterRef("pk"))),
        assignment__in=mine.filter(over_at=None, topic__in=accepted.values("topic")),
        assignment__topic__query=OuterRef("query"),
        passage=OuterRef("passage_a"),
        grade=None,
    )
    return Pair.objects.filter(~Exists(lost), campaign=campaign, query__in=list(finished))


def withdraw_unasked(campaign: Campaign) -> int:
    """Remove passages that no topic needs from tasks that wait; return how many.

    A task keeps its passages once somebody has opened it, unless that work was excluded and the task waits for
    another worker. A task without a passage left is deleted, so that nobody is paid for what no topic needs; one with
    excluded work is done instead.
    """
    unasked = passages_not_needed(campaign)
    kept = Submission.objects.filter(task=OuterRef("pk")).exclude(standing=EXCLUDED)
    waiting = Task.objects.filter(~Exists(kept), campaign=campaign, state=Task.State.WAITING)
    of_over = Exists(TaskPair.objects.filter(task=OuterRef("pk"), pair__in=unasked))
    empty = ~Exists(TaskPair.objects.filter(task=OuterRef("pk")))  # an exclusion offered it again
    with transaction.atomic():
        # Locked, so that no worker can take one of these tasks meanwhile.
        tasks = list(waiting.filter(Q(of_over) | Q(empty)).select_for_update(of=("self",)))
        taken, _ = TaskPair.objects.filter(task__in=tasks, pair__in=unasked).delete()
        left = Task.objects.filter(pk__in=[task.pk for task in tasks], task_pairs=None)
        left.filter(submissions=None).delete()
        for task in left.all():
            last = task.submissions.order_by("-pk").first()
            left.filter(pk=task.pk).update(state=Task.State.DONE, holder=last)
    return taken
