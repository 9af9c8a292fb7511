"""Graded campaigns judged by a crowd: paid tasks of single passages, whose grades decide the topics.

Workers of the linked campaign judge the topics together, instead of one assessor per topic. A passage's grade is the
median of its counted judgments (for an even number, the lower middle one). Judgments of
excluded workers do not count. A passage with too few counted judgments has no grade until it is judged again.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median_low

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from judging.campaign.campaigns import CampaignSettings, create_campaign, fit_to_tasks
from judging.campaign.pairs import request_pairs
from judging.errors import CampaignRefused
from judging.grading.assignments import ENDED, assign_passages, take_from_crowd
from judging.grading.decisions import assignment_of, lock_topic, standing_decision
from judging.grading.graded_campaigns import end_if_spent, judged_so_far
from judging.grading.grades import awaits_passages, continue_topic
from judging.models import (
    Campaign,
    Grade,
    GradedCampaign,
    GradedItem,
    Judgment,
    Pair,
    Task,
    TaskPair,
    Topic,
    TopicAssignment,
    TopicDecision,
)
from judging.rules.packing import PairRequest
from judging.rules.topic_effort import LaterTasks, forecast_later_tasks
from judging.rules.topic_life import next_of_pool

#: The lookups for the keys of a judged pair's query and passage.
QUERY_AND_PASSAGE = ("pair__query", "pair__passage_a")


def create_crowd_campaign(
    grading: GradedCampaign, *, name: str, settings: CampaignSettings, who: str = ""
) -> Campaign:
    """Create a draft campaign whose workers judge every free topic, beginning with the opening of its pool.

    Raises BadInput for invalid settings, and CampaignRefused if the judging has ended or no topic is free.
    """
    if grading.ended_at is not None:
        raise CampaignRefused(ENDED, "Reopen the graded campaign first.")
    with transaction.atomic():
        made = create_campaign(name=name, settings=settings, pool=grading.pool, grading=grading, who=who)
        topics = _free_topics(grading)
        if not topics:
            raise CampaignRefused(
                f"Graded campaign {grading.name} has no free topic.",
                "Take topics from their assessors, or reverse decisions, then try again.",
            )
        for topic in topics:
            lock_topic(topic)
            topic.refresh_from_db(fields=["order"])  # near-duplicates may have changed until now
            if (held := assignment_of(topic)) is not None:
                take_from_crowd(held)
            assignment = TopicAssignment.objects.create(topic=topic, crowd=made)
            assign_passages(assignment, next_of_pool(topic.order, 0, grading.life), batch=0)
        request_judgments(made)
        fit_to_tasks(made, settings)
    return made


def _free_topics(grading: GradedCampaign) -> list[Topic]:
    held = TopicAssignment.objects.filter(topic=OuterRef("pk"), over_at=None, second=False).exclude(
        Q(crowd__isnull=False) & (Q(crowd__state=Campaign.State.CLOSED) | Q(crowd__archived_at__isnull=False))
    )
    decided = TopicDecision.objects.filter(topic=OuterRef("pk"), reversed_at=None)
    free = grading.topics.filter(~Exists(held), ~Exists(decided))
    return list(free.select_related("query", "campaign").order_by("query__position"))


def later_tasks(campaign: Campaign) -> LaterTasks:
    """Forecast the maximum numbers of tasks after the first round, within the remaining budget of passages."""
    grading = campaign.grading
    assert grading is not None
    own = campaign.topic_assignments.filter(over_at=None)
    left = None
    if grading.budget is not None:
        judged = GradedItem.objects.filter(
            assignment__in=own, grade__isnull=False
        ).count()  # for instance, judged in a pilot
        left = max(0, grading.budget - (judged_so_far(grading) - judged))
    sizes = Counter(map(len, own.values_list("topic__order", flat=True)))
    found = forecast_later_tasks(sizes, grading.life, campaign.pairs_per_task, left)
    layers = campaign.judgments_per_pair
    most = None if found.most is None else layers * found.most
    return LaterTasks(layers * found.pools, layers * found.accepted, most)


@transaction.atomic
def request_judgments(campaign: Campaign) -> int:
    """Request the judgments that passages of undecided topics lack; return how many tasks this created.

    Passages lack judgments if they are new, or if they were removed from tasks while their topic was decided. The
    budget of passages is not exceeded. Safe to repeat and to call concurrently.
    """
    Campaign.objects.filter(pk=campaign.pk).update(seed=campaign.seed)  # concurrent callers take turns
    lacking: dict[tuple[int, int], list[PairRequest]] = defaultdict(list)
    for asked, batch, pair in _requests_by_passage(campaign):
        if asked < campaign.judgments_per_pair:
            lacking[batch, campaign.judgments_per_pair - asked].append(pair)
    return sum(
        request_pairs(campaign, pairs, judgments=judgments, round=batch)
        for (batch, judgments), pairs in lacking.items()
    )


def _requests_by_passage(campaign: Campaign) -> list[tuple[int, int, PairRequest]]:
    """Return (number of judgments requested so far, batch, passage as a pair) for passages of undecided topics.

    Passages that are new and exceed the budget are left out.
    """
    requested = Counter(TaskPair.objects.filter(task__campaign=campaign).values_list(*QUERY_AND_PASSAGE))
    items = GradedItem.objects.filter(assignment__in=_undecided_assignments(campaign))
    rows = items.order_by("assignment__topic__query__position", "position")
    found = [
        (requested[query, passage], batch, PairRequest(query, passage, passage))
        for batch, query, passage in rows.values_list("batch", "assignment__topic__query", "passage")
    ]
    room = _passages_in_budget(campaign, sum(asked > 0 for asked, *_ in found))
    return [one for one in found if one[0] or (room := room - 1) >= 0]


def _passages_in_budget(campaign: Campaign, asked: int) -> int:
    """Return how many passages the budget allows besides the ``asked`` passages of undecided topics."""
    grading = campaign.grading
    assert grading is not None
    if grading.budget is None:
        return sys.maxsize
    items = GradedItem.objects.filter(assignment__in=_undecided_assignments(campaign))
    going = items.filter(grade__isnull=False).count()
    return grading.budget - (judged_so_far(grading) - going) - asked


def carry_grades(campaign: Campaign) -> list[TopicAssignment]:
    """Update the topics with the workers' counted grades, and request the judgments that the rules require next.

    Returns the assignments for which active learning has to choose the next passages. Safe to repeat.
    """
    grading = campaign.grading
    if grading is None or campaign.rehearsal_of_id:
        return []
    counted = _counted_grades(campaign)
    waiting = []
    for assignment in _assignments_under_way(campaign):
        _carry_to_topic(assignment, counted[assignment.topic.query_id], campaign.judgments_per_pair)
        if awaits_passages(assignment):
            waiting.append(assignment)
    if end_if_spent(grading):
        waiting = []
    _withdraw_queries(campaign, _finished_queries(campaign))
    request_judgments(campaign)
    return waiting


def _assignments_under_way(campaign: Campaign) -> list[TopicAssignment]:
    mine = campaign.topic_assignments.filter(over_at=None)
    return list(mine.select_related("topic__campaign__pool", "topic__query").order_by("pk"))


def _counted_grades(campaign: Campaign) -> dict[int, dict[int, list[int]]]:
    """Return the grades of counted judgments, oldest first, as {query key: {passage key: [grade]}}."""
    counted = Judgment.objects.filter(campaign=campaign, kind=Judgment.Kind.GRADE).counted().order_by("pk")
    grades: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    rows = counted.values_list(*QUERY_AND_PASSAGE, "grade")
    for query, passage, grade in rows.iterator(chunk_size=5000):
        grades[query][passage].append(grade)
    return grades


@transaction.atomic
def _carry_to_topic(assignment: TopicAssignment, counted: Mapping[int, Sequence[int]], wanted: int) -> None:
    """Update the grades of the assignment's items from their counted judgments, and decide or continue the topic.

    An item loses its grade if fewer than ``wanted`` of its judgments still count. So no label depends on a worker who
    was excluded or withdrew. This also applies to decided topics, whose decision stays in force.
    """
    topic = assignment.topic
    lock_topic(topic)
    assignment.refresh_from_db(fields=["over_at"])
    if assignment.over_at is not None:
        return
    over = standing_decision(topic) is not None or topic.campaign.ended_at is not None
    changed = []
    for item in assignment.items.order_by("position"):
        found = counted.get(item.passage_id, ())
        grade = median_low(found) if len(found) >= wanted else None
        if grade != item.grade:
            item.grade = grade
            changed.append(item)
    Grade.objects.bulk_create([Grade(item=item, grade=item.grade) for item in changed])
    GradedItem.objects.bulk_update(changed, ["grade"], batch_size=500)
    if not over:
        continue_topic(assignment)


@transaction.atomic
def withdraw_taken_topics(campaign: Campaign) -> None:
    """Remove, from a campaign that is not launched yet, the tasks and pairs of topics that others have taken."""
    taken = TopicAssignment.objects.filter(crowd=campaign, over_at__isnull=False)
    queries = list(taken.values_list("topic__query", flat=True))
    _withdraw_queries(campaign, queries)
    Pair.objects.filter(campaign=campaign, query__in=queries, task_pairs=None).delete()


def _withdraw_queries(campaign: Campaign, queries: Sequence[int]) -> None:
    """Remove the passages of these queries from tasks that nobody has opened.

    A task with no passages left is deleted, so that nobody is paid for judgments that no topic needs.
    """
    of_over = TaskPair.objects.filter(task=OuterRef("pk"), pair__query__in=queries)
    untouched = Task.objects.filter(
        Exists(of_over), campaign=campaign, state=Task.State.WAITING, submissions=None
    )
    with transaction.atomic():
        # Locked, so that no worker can take one of these tasks meanwhile. A task that is being taken stays as it is.
        locked = untouched.select_for_update(of=("self",), skip_locked=True)
        tasks = list(locked.values_list("pk", flat=True))
        TaskPair.objects.filter(task__in=tasks, pair__query__in=queries).delete()
        Task.objects.filter(pk__in=tasks, task_pairs=None).delete()


def _finished_queries(campaign: Campaign) -> list[int]:
    mine = TopicAssignment.objects.filter(crowd=campaign)
    return list(mine.exclude(pk__in=_undecided_assignments(campaign)).values_list("topic__query", flat=True))


def _undecided_assignments(campaign: Campaign) -> QuerySet[TopicAssignment]:
    """Return the campaign's current assignments of undecided topics; none once the judging has ended."""
    decided = TopicDecision.objects.filter(topic=OuterRef("topic"), reversed_at=None)
    return TopicAssignment.objects.filter(
        ~Exists(decided), crowd=campaign, over_at=None, topic__campaign__ended_at=None
    )


def undecided_topics(campaign: Campaign) -> int:
    """Return how many topics assigned to the campaign are undecided; 0 for a campaign of pairs, or a rehearsal."""
    return _undecided_assignments(campaign).count() if campaign.grading_id else 0
