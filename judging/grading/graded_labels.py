"""Labels of finished topics: publish them as a qrel set of the collection, or list them with their sources."""

import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from config.guidance import Guidance, Option
from config.plurals import many
from judging.errors import CampaignRefused
from judging.grading.decisions import tally_of
from judging.models import Grade, GradedCampaign, GradedItem, GradedLabels, TopicAssignment, TopicDecision
from judging.rules.topic_life import stage_words
from pooling.collections.members import log
from pooling.labels.qrels import import_qrels
from pooling.models import QrelSet

#: The maximum number of topics that a refusal lists.
MOST_LISTED = 5
COLUMNS = (
    *("qid", "pid", "grade", "source", "stage", "rank", "assignment", "assessor", "second", "given_at"),
    *("standing", "counts", "fraction", "fraction_seed"),
)


def publish_labels(
    campaign: GradedCampaign,
    *,
    set_name: str,
    withheld: bool = False,
    incomplete: bool = False,
    who: str = "",
) -> GradedLabels:
    """Create a qrel set from the grades of accepted topics; if ``withheld``, non-members see only its scores.

    Raises CampaignRefused if no topic is accepted, or if grades of accepted topics were withdrawn. With
    ``incomplete``, withdrawn grades are left out instead. Raises AlreadyImported if the name is taken.
    """
    with transaction.atomic(), tempfile.TemporaryDirectory() as folder:
        decisions = {one.topic_id: one for one in _accepted(campaign).select_related("topic__query")}
        standing = TopicAssignment.objects.filter(topic__in=decisions, over_at=None, second=False)
        held = {one.topic_id: one for one in standing}
        if not decisions:
            raise CampaignRefused(
                "No topic has been accepted yet.", "Create labels once a topic is accepted."
            )
        if not incomplete:
            _refuse_withdrawn(campaign)
        tallies = {topic: tally_of(held.get(topic), campaign.min_grade) for topic in decisions}
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
                    "assignment": held[topic].pk if topic in held else None,
                    "judged": tallies[topic].judged,
                    "relevant": tallies[topic].relevant,
                }
                for topic, one in decisions.items()
            ],
            made_by=who,
        )
        log(campaign.collection, f"labels {set_name} created from graded campaign {campaign.name}", who=who)
    return made


def withdrawn_passages(campaign: GradedCampaign) -> dict[str, int]:
    """Map qids of accepted topics to the number of passages whose grades were withdrawn and not given again."""
    earlier = Grade.objects.filter(item=OuterRef("pk"), grade__isnull=False)
    lost = GradedItem.objects.filter(
        Exists(earlier),
        assignment__topic__in=_accepted(campaign).values("topic"),
        assignment__over_at=None,
        assignment__second=False,
        grade=None,
    )
    rows = lost.order_by("assignment__topic__query__position")
    return dict(Counter(rows.values_list("assignment__topic__query__qid", flat=True)))


def _accepted(campaign: GradedCampaign) -> QuerySet[TopicDecision]:
    verdict = TopicDecision.Verdict.ACCEPTED
    return TopicDecision.objects.filter(topic__campaign=campaign, verdict=verdict, reversed_at=None)


def _refuse_withdrawn(campaign: GradedCampaign) -> None:
    if not (lost := withdrawn_passages(campaign)):
        return
    listed = ", ".join(f"{qid} ({count:,})" for qid, count in list(lost.items())[:MOST_LISTED])
    more = f" and {len(lost) - MOST_LISTED:,} more" if len(lost) > MOST_LISTED else ""
    raise CampaignRefused(
        f"The grades of {many(sum(lost.values()), 'passage')} of accepted topics were withdrawn: {listed}{more}.",
        Guidance("Wait until they are judged again, or choose ", Option("incomplete"), " to leave them out."),
    )


def grades_of(campaign: GradedCampaign) -> Iterator[dict[str, Any]]:
    """Yield every grade as a dict with the keys COLUMNS, including second opinions and topics not accepted.

    - ``standing``: *current*, *replaced* by a later grade, *undone* by the assessor, or *withdrawn* because too few
      judgments of the crowd still count
    - ``counts``: whether the grade is current and belongs to the topic's current assignment
    - ``stage``: the part of the pool, or the iteration of active learning from 1; empty for a second opinion
    - ``fraction``, ``fraction_seed``: set if the pool has only one in ``fraction`` passages of the corpus
    """
    corpus = (campaign.pool.fraction, campaign.pool.fraction_seed)
    by_topic = TopicAssignment.objects.filter(topic__campaign=campaign).select_related("assessor", "crowd")
    assignments = {one.pk: one for one in by_topic}
    given = Grade.objects.filter(item__assignment__topic__campaign=campaign)
    in_order = ("item__assignment__topic__query__position", "item__assignment", "item__position", "pk")
    rows = given.order_by(*in_order).values_list(
        *("item", "item__assignment", "item__assignment__topic__query__qid", "item__passage__pid", "grade"),
        *("item__source", "item__batch", "item__rank", "given_at"),
    )
    for row, later in pairwise(chain(rows.iterator(chunk_size=5000), [None])):
        assert row is not None
        item, key, qid, pid, grade, source, batch, rank, given_at = row
        if grade is None:  # marks the previous grade as undone or withdrawn
            continue
        held = assignments[key]
        standing = "current"
        if later is not None and later[0] == item:
            standing = "replaced" if later[4] is not None else "withdrawn" if held.crowd else "undone"
        stage = "" if held.second else stage_words(batch)
        counts = standing == "current" and not held.second and held.over_at is None
        said = (qid, pid, grade, source, stage, rank, key, held.who, held.second, given_at, standing, counts)
        yield dict(zip(COLUMNS, (*said, *corpus), strict=True))
