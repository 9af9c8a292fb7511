"""What active learning proposes to judge next."""

from __future__ import annotations

from config.background.job_kinds import Progress
from judging.models import TopicAssignment
from pooling.models import Passage


def proposed_passages(assignment: TopicAssignment, *, progress: Progress | None = None) -> list[int]:
    """Return the keys of the next passages to judge, best first; none when everything is judged."""
    topic = assignment.topic
    campaign = topic.campaign
    judged = set(assignment.items.values_list("passage_id", flat=True))
    words = set(topic.query.text.lower().split())
    texts = Passage.objects.filter(collection=campaign.collection, text__isnull=False).order_by("pk")
    scored = [
        (-len(words & set((text or "").lower().split())), key)
        for key, text in texts.values_list("pk", "text")
        if key not in judged
    ]
    return [key for _, key in sorted(scored)[: campaign.life.batch]]
