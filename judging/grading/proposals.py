"""The passages that active learning proposes to an assessor."""

from __future__ import annotations

from config.background.job_kinds import Progress
from judging.grading.next_passages import Thread, next_passages
from judging.models import TopicAssignment
from pooling.errors import NotFound
from pooling.services import passages
from pooling.services.pools import Choice


def proposed_passages(assignment: TopicAssignment, *, progress: Progress | None = None) -> list[int]:
    """Return the keys of the next passages to judge, best first; none when all that have a text are judged.

    A campaign over a pool of a fraction stays within the fraction.
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
            thread=Thread.FRACTION if fraction else Thread.OWN,
            fraction=fraction,
            progress=progress,
        )
    except NotFound:  # a rehearsal without any texts
        return []
    known = passages.ensure(collection=campaign.collection, pids=found)
    return [known[pid].pk for pid in found]
