"""Give, change and undo an assessor's grades, and continue the topic once every assigned passage is judged."""

from django.db import transaction

from config.background.job_kinds import Progress
from config.background.models import Job
from judging.errors import BadInput, CampaignRefused
from judging.grading.assignments import ENDED, assign_passages, end_assignment
from judging.grading.decisions import (
    assignment_of,
    decide_at_end,
    decide_by_hand,
    lock_topic,
    record_decision,
    reverse_decision,
    standing_decision,
    tally_of,
    was_reversed_here,
)
from judging.grading.graded_campaigns import end_if_spent
from judging.grading.next_passages import proposed_passages
from judging.models import Grade, GradedItem, Topic, TopicAssignment
from judging.rules.topic_life import after_batch, after_opening, next_of_pool

CHOOSE_PASSAGES = "judging.choose_passages"
FIRST_ITERATION = 2
#: What staff can do with a topic besides giving it a verdict.
REVERSED, TAKEN_AWAY = "reversed", "taken away"


def item_at(assignment: TopicAssignment, position: int) -> GradedItem | None:
    """Return the assignment's item at this position, counted from 0, or None."""
    return assignment.items.filter(position=position).select_related("passage").first()


def give_grade(item: GradedItem, grade: int) -> None:
    """Add a grade, which replaces any earlier one, and continue the topic if every assigned passage is now judged.

    Raises BadInput for a grade that is not on the scale, and CampaignRefused if the assignment, topic or campaign has
    ended.
    """
    campaign = item.assignment.topic.campaign
    if not 0 <= grade < len(campaign.scale):
        raise BadInput(
            f"The scale has no grade {grade}.", f"Choose a grade from 0 to {len(campaign.scale) - 1}."
        )
    with transaction.atomic():
        _refuse_ended(item.assignment)
        Grade.objects.create(item=item, grade=grade)
        GradedItem.objects.filter(pk=item.pk).update(grade=grade)
        continue_topic(item.assignment)
    if not item.assignment.second:
        end_if_spent(campaign)


@transaction.atomic
def undo_grade(assignment: TopicAssignment) -> GradedItem:
    """Undo the assignment's latest grade and return its item, to be judged again.

    Raises CampaignRefused if there is no grade, or if the assignment, topic or campaign has ended.
    """
    _refuse_ended(assignment)
    latest = Grade.objects.filter(item__assignment=assignment, item__grade__isnull=False)
    found = latest.exclude(grade=None).order_by("-pk").select_related("item").first()
    if found is None:
        raise CampaignRefused("There is no grade to undo.")
    Grade.objects.create(item=found.item, grade=None)
    GradedItem.objects.filter(pk=found.item_id).update(grade=None)
    return found.item


def _refuse_ended(assignment: TopicAssignment) -> None:
    topic = assignment.topic
    lock_topic(topic)
    campaign = topic.campaign
    now = TopicAssignment.objects.filter(pk=assignment.pk)
    fields = ("over_at", "topic__campaign__ended_at", "topic__campaign__budget")
    assignment.over_at, campaign.ended_at, campaign.budget = now.values_list(*fields).get()
    if assignment.over_at is not None:
        raise CampaignRefused(f"Topic {topic.query.qid} is no longer yours.", "Take a topic from the list.")
    if assignment.second:  # second opinions are given on decided topics, often after the judging ended
        return
    if campaign.ended_at is not None:
        raise CampaignRefused(ENDED, "The grades given so far are kept.")
    if (decision := standing_decision(topic)) is not None:
        raise CampaignRefused(
            f"Topic {topic.query.qid} is {decision.verdict}: its grades can no longer change.",
            "Ask the organizer to reverse the decision.",
        )


def continue_topic(assignment: TopicAssignment) -> None:
    """Decide the topic by the rules, or assign the rest of its pool, once every assigned passage is judged.

    The caller has locked the topic. If neither applies, :func:`choose_next` has to assign more passages.
    """
    topic = assignment.topic
    if assignment.second or assignment.items.filter(grade=None).exists():
        return
    rules, tally = topic.campaign.life, tally_of(assignment, topic.campaign.min_grade)
    given = assignment.items.count()
    rest = next_of_pool(topic.order, given, rules)
    decision = after_opening(tally, rules) if _latest_batch(assignment) == 0 else None
    if decision is None and not rest:
        decision = after_batch(tally, rules)
    if decision is not None and not was_reversed_here(topic, tally):
        record_decision(topic, decision, tally)
    elif rest:
        assign_passages(assignment, rest, batch=1)


@transaction.atomic
def carry_out_decision(
    topic: Topic, decision: str, *, why: str, who: str, reverses: int | None = None
) -> None:
    """Carry out a staff decision: record a verdict, reverse a decision, or take the topic away from its assessor.

    ``decision`` is a verdict, ``reversed`` or ``taken away``. ``reverses`` is the key of the decision to reverse.
    After a reversal, the topic continues where it stopped. Raises BadInput for an unknown verdict or a missing
    reason. Raises CampaignRefused if the decision is not possible, or if the decision in force is not ``reverses``.
    """
    assignment, standing = assignment_of(topic), standing_decision(topic)
    if decision == REVERSED:
        if standing is None:
            raise CampaignRefused(f"Topic {topic.query.qid} has no decision.")
        if reverses not in (None, standing.pk):
            raise CampaignRefused(
                f"Topic {topic.query.qid} has a newer decision: {standing.verdict}.",
                "Look at it before you reverse it.",
            )
        reverse_decision(standing, why=why, who=who)
        if assignment is not None:
            continue_topic(assignment)
    elif decision == TAKEN_AWAY:
        if assignment is None:
            raise CampaignRefused(f"No assessor has topic {topic.query.qid}.")
        end_assignment(assignment, why=why, who=who)
    else:
        decide_by_hand(topic, decision, why=why, who=who)


def awaits_passages(assignment: TopicAssignment) -> bool:
    """Return whether every assigned passage is judged, so that active learning has to choose the next ones."""
    if assignment.second or assignment.over_at is not None or assignment.topic.campaign.ended_at is not None:
        return False
    if standing_decision(assignment.topic) is not None:
        return False
    return not assignment.items.filter(grade=None).exists()


def choosing_key(assignment: TopicAssignment) -> str:
    """Return the job key that lets only one job at a time choose the next passages of this assignment's topic."""
    return f"{CHOOSE_PASSAGES}:{assignment.pk}"


def choosing_job(assignment: TopicAssignment) -> Job | None:
    """Return the latest job that chose passages for the assignment; None if there is none."""
    return Job.objects.filter(key=choosing_key(assignment)).order_by("-pk").first()


def choose_next(assignment: TopicAssignment, *, progress: Progress | None = None) -> int:
    """Assign the passages of the next iteration of active learning; return their number. Safe to repeat.

    If nothing is left to judge, the topic is decided as if the budget were used up. Raises CampaignRefused if staff
    already reversed that decision.
    """
    if not awaits_passages(assignment):
        return 0
    given = assignment.items.count()
    keys = proposed_passages(assignment, progress=progress)
    topic = assignment.topic
    with transaction.atomic():
        lock_topic(topic)
        assignment.refresh_from_db()
        if not awaits_passages(assignment) or assignment.items.count() != given:
            return 0
        if keys:
            batch = max(_latest_batch(assignment) + 1, FIRST_ITERATION)
            passages = [(key, None) for key in keys]
            assign_passages(assignment, passages, batch=batch, source=GradedItem.Source.CAL)
        elif was_reversed_here(topic, tally_of(assignment, topic.campaign.min_grade)):
            raise CampaignRefused(
                f"Nothing is left to judge for topic {topic.query.qid}.", "Decide the topic by hand."
            )
        else:
            decide_at_end(topic)
    return len(keys)


def _latest_batch(assignment: TopicAssignment) -> int:
    last = assignment.items.order_by("-position").values_list("batch", flat=True).first()
    return last or 0
