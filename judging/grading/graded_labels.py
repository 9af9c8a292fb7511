"""Labels of finished topics: publish them as a qrel set of the collection, or list them with their sources."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db import transaction

from judging.errors import CampaignRefused
from judging.models import GradedCampaign, GradedItem, GradedLabels, TopicAssignment, TopicDecision
from pooling.models import QrelSet
from pooling.services.members import log
from pooling.services.qrels import import_qrels

COLUMNS = ("qid", "pid", "grade", "source", "batch", "rank", "assignment", "second", "counts")


def publish_labels(
    campaign: GradedCampaign, *, set_name: str, withheld: bool = False, who: str = ""
) -> GradedLabels:
    """Create a qrel set from the accepted topics.

    Raises CampaignRefused if no topic is accepted, and AlreadyImported if the name is taken.
    """
    accepted = TopicDecision.objects.filter(
        topic__campaign=campaign, verdict=TopicDecision.Verdict.ACCEPTED, reversed_at=None
    )
    standing = TopicAssignment.objects.filter(over_at=None, second=False)
    with transaction.atomic(), tempfile.TemporaryDirectory() as folder:
        decisions = {one.topic_id: one for one in accepted.select_related("topic__query")}
        held = dict(standing.filter(topic__in=decisions).values_list("topic", "pk"))
        if not decisions:
            raise CampaignRefused("No topic is accepted yet.", "Publish the labels once a topic is accepted.")
        items = GradedItem.objects.filter(assignment__in=held.values(), grade__isnull=False)
        rows = items.order_by("assignment__topic__query__position", "position")
        path = Path(folder) / "labels.txt"
        with path.open("w") as file:
            for qid, pid, grade in rows.values_list(
                "assignment__topic__query__qid", "passage__pid", "grade"
            ).iterator(chunk_size=5000):
                file.write(f"{qid} 0 {pid} {grade}\n")
        imported = import_qrels(
            collection=campaign.collection,
            path=path,
            set_name=set_name,
            min_grade=campaign.min_grade,
            kind=QrelSet.Kind.GRADED,
            withheld=withheld,
            name=f"the labels of {campaign.name}",
        )
        made = GradedLabels.objects.create(
            campaign=campaign,
            qrel_set=imported.qrel_set,
            topics=[
                {
                    "qid": one.topic.query.qid,
                    "decision": one.pk,
                    "assignment": held.get(topic),
                    "judged": one.judged,
                    "relevant": one.relevant,
                }
                for topic, one in decisions.items()
            ],
            made_by=who,
        )
        log(campaign.collection, f"labels {set_name} made of graded campaign {campaign.name}", who=who)
    return made


def grades_of(campaign: GradedCampaign) -> Iterator[dict[str, Any]]:
    """Yield every latest grade with its source, including topics that are not accepted and second opinions."""
    items = GradedItem.objects.filter(assignment__topic__campaign=campaign, grade__isnull=False)
    rows = items.order_by("assignment__topic__query__position", "assignment", "position").values_list(
        *("assignment__topic__query__qid", "passage__pid", "grade", "source", "batch", "rank"),
        *("assignment", "assignment__second", "assignment__over_at"),
    )
    for *plain, second, over in rows.iterator(chunk_size=5000):
        yield dict(zip(COLUMNS, (*plain, second, not second and over is None), strict=True))
