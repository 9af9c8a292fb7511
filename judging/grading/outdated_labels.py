"""Labels of graded campaigns whose grades have changed since they were published."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import F, OuterRef, Q, Subquery

from config.guidance import Action, Guidance
from config.plurals import many
from judging.models import GradedItem, GradedLabels
from pooling.models import Collection, Qrel


@dataclass(frozen=True)
class OutdatedLabels:
    """Published labels that differ from the present grades of their campaign.

    ``withdrawn`` and ``changed`` map qids to the number of grades withdrawn or changed since the labels were
    published. ``latest`` is the name of the campaign's latest labels.
    """

    labels: GradedLabels
    withdrawn: Mapping[str, int]
    changed: Mapping[str, int]
    latest: str

    @property
    def qids(self) -> set[str]:
        return {*self.withdrawn, *self.changed}

    @property
    def words(self) -> str:
        """Sentences that say how many grades were withdrawn or changed since the labels were published."""
        counts = ((self.withdrawn, "withdrawn"), (self.changed, "changed"))
        parts = [f"{many(sum(of.values()), 'grade was', 'grades were')} {what}" for of, what in counts if of]
        return (
            f"The labels {self.labels.qrel_set.name} are out of date: {' and '.join(parts)} since they were "
            "published. They stay as they are."
        )

    @property
    def next_step(self) -> Guidance:
        """Advice to members: use the campaign's later labels or, if there are none, create labels again."""
        if self.latest != self.labels.qrel_set.name:
            return Guidance(f"The labels {self.latest} were created later from the same campaign.")
        campaign = self.labels.campaign
        create = Action(
            "publish_grades",
            campaign.collection.name,
            f"{campaign.name} --set NAME",
            lead="Create labels again",
        )
        return Guidance(create, ", under another name.")


def outdated_labels(collection: Collection) -> list[OutdatedLabels]:
    """Return the published labels of the collection's graded campaigns that differ from the present grades.

    A grade counts as withdrawn if the passage has no grade now: its worker was excluded or withdrew, or its assessor
    undid it, and nobody has judged the passage again.
    """
    published = GradedLabels.objects.filter(campaign__collection=collection).order_by("pk")
    rows = list(published.select_related("campaign__collection", "qrel_set"))
    latest = {one.campaign_id: one.qrel_set.name for one in rows}
    found = [_compared(one, latest[one.campaign_id]) for one in rows]
    return [one for one in found if one.qids]


def _compared(labels: GradedLabels, latest: str) -> OutdatedLabels:
    behind = [one["assignment"] for one in labels.topics if one["assignment"] is not None]
    label = Qrel.objects.filter(
        qrel_set=labels.qrel_set, query=OuterRef("assignment__topic__query"), passage=OuterRef("passage")
    )
    items = GradedItem.objects.filter(assignment__in=behind).annotate(
        label=Subquery(label.values("grade")[:1])
    )
    other = items.filter(Q(grade=None) | ~Q(grade=F("label")), label__isnull=False)
    withdrawn: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    for qid, grade in other.values_list("assignment__topic__query__qid", "grade"):
        (withdrawn if grade is None else changed)[qid] += 1
    return OutdatedLabels(labels, withdrawn, changed, latest)
