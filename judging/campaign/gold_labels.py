"""The labels from which gold pairs are proposed."""

from collections import defaultdict

from config.guidance import Action, Guidance, TerminalOnly
from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign
from pooling.models import Qrel, QrelSet


def _names_of_labels(campaign: Campaign) -> str:
    return ", ".join(campaign.collection.passage_labels().order_by("name").values_list("name", flat=True))


def labels_for_gold(campaign: Campaign, name: str) -> QrelSet:
    """Return the qrel set called ``name`` (default: the pool's). Raises BadInput or CampaignRefused if missing."""
    if name and campaign.pool is not None:
        found = QrelSet.objects.filter(collection=campaign.collection, name=name).first()
        if found is None:
            names = _names_of_labels(campaign)
            raise BadInput(
                f"The collection has no qrel set called {name!r}.",
                f"Qrel sets: {names}." if names else "It has no qrel sets yet.",
            )
        return found
    if campaign.grading is not None and campaign.pool is not None and campaign.pool.qrel_set is None:
        names = _names_of_labels(campaign)
        raise CampaignRefused(
            "Gold pairs need known relevant passages, but this campaign's pool has no qrels.",
            Guidance(
                "Choose labels",
                TerminalOnly(" with --qrels SET"),
                f": {names}. Or " if names else ". Or ",
                Action("import_gold", campaign.name, "FILE", lead="import your own gold pairs"),
                ".",
            ),
        )
    if campaign.pool is None or campaign.pool.qrel_set is None:
        raise CampaignRefused(
            "Gold pairs need known relevant passages, but this campaign's pool has no qrels.",
            Guidance(
                Action("import_gold", campaign.name, "FILE", lead="Import your own gold pairs"),
                ". Or ",
                Action(
                    "build_pool",
                    campaign.collection.name,
                    "--pool NAME --qrels SET",
                    lead="judge a pool with qrels",
                ),
            ),
        )
    return campaign.pool.qrel_set


def grade_that_leaves_off_topic(labels: QrelSet) -> int:
    """Return the lowest relevant grade at which some labels are off topic, if every label is relevant now; else 0."""
    grades = list(
        Qrel.objects.filter(qrel_set=labels).order_by("grade").values_list("grade", flat=True).distinct()[:2]
    )
    return grades[1] if len(grades) == 2 and grades[0] >= labels.min_grade else 0


def grades_by_query(labels: QrelSet) -> dict[int, dict[int, int]]:
    """Return the labels as {query key: {passage key: grade}}, in the order of the label file."""
    grades: dict[int, dict[int, int]] = defaultdict(dict)
    rows = Qrel.objects.filter(qrel_set=labels).order_by("position")
    for query, passage, grade in rows.values_list("query_id", "passage_id", "grade").iterator(2000):
        grades[query][passage] = grade
    return grades
