"""The passages that active learning proposes to an assessor."""

from config.background.job_kinds import Progress
from judging.grading.next_passages import Thread, next_passages
from judging.models import GradedCampaign, GradedItem, TopicAssignment
from pooling.errors import NotFound
from pooling.services import passages
from pooling.services.pools import Choice


def proposed_passages(assignment: TopicAssignment, *, progress: Progress | None = None) -> list[int]:
    """Return the keys of the next passages to judge, best first; none if all passages with a text are judged.

    If the pool is limited to a fraction of the collection, so are these passages. A campaign that learns from all
    grades also uses the counted grades of the same query in the collection's other graded campaigns, and proposes
    none of their passages.
    """
    topic = assignment.topic
    campaign, pool = topic.campaign, topic.campaign.pool
    fraction = Choice(fraction=pool.fraction, fraction_seed=pool.fraction_seed).corpus
    rows = assignment.items.values_list("passage__pid", "grade")
    judged = {pid: grade for pid, grade in rows if grade is not None}
    try:
        found = next_passages(
            campaign.collection,
            topic.query.text,
            judged,
            campaign.min_grade,
            campaign.life.batch,
            campaign.seed,
            thread=_thread_of(campaign, fraction is not None),
            others=_grades_elsewhere(assignment) if campaign.learn_from_all else None,
            fraction=fraction,
            progress=progress,
        )
    except NotFound:  # a rehearsal without any texts
        return []
    known = passages.ensure(collection=campaign.collection, pids=found)
    return [known[pid].pk for pid in found]


def _thread_of(campaign: GradedCampaign, in_fraction: bool) -> Thread:
    if in_fraction:
        return Thread.FRACTION
    return Thread.ALL if campaign.learn_from_all else Thread.OWN


def _grades_elsewhere(assignment: TopicAssignment) -> dict[str, int]:
    """Return pid → grade for the topic's query in the collection's other graded campaigns."""
    topic = assignment.topic
    rows = GradedItem.objects.filter(
        assignment__topic__query=topic.query_id,
        assignment__over_at=None,
        assignment__second=False,
        grade__isnull=False,
    )
    rows = rows.exclude(assignment__topic__campaign=topic.campaign_id).order_by("pk")
    return {pid: grade for pid, grade in rows.values_list("passage__pid", "grade") if grade is not None}
