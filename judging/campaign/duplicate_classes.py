"""Near-duplicates in a collection: find, import or remove them before judging begins."""

from dataclasses import dataclass, replace
from pathlib import Path

from django.db import transaction
from django.db.models import F

from config.background.job_kinds import Progress
from config.plurals import many
from judging.campaign.judging_orders import lock_topics, renew_orders
from judging.errors import CampaignRefused
from judging.models import Campaign, GradedCampaign, Judgment, Pair, TopicAssignment
from pooling.errors import ClustersRefused
from pooling.models import ClusterSet, Collection, Pool, PooledPassage
from pooling.passages import clusters, passages
from pooling.rules.near_duplicates import Likeness
from pooling.rules.passage_text import class_key
from pooling.rules.shallow import count_classes, pairs_to_judge
from pooling.storage import ranking_files

CLUSTER_PASSAGES = "judging.cluster_passages"


def clustering_key(collection: Collection) -> str:
    """Return the job key that lets only one job at a time find the collection's near-duplicates."""
    return f"{CLUSTER_PASSAGES}:{collection.pk}"


def cluster_texts(
    collection: Collection, likeness: Likeness, *, who: str = "", progress: Progress | None = None
) -> ClusterSet:
    """Find the near-duplicates among the collection's texts and store them.

    Raises CampaignRefused once judging depends on the present classes (:func:`refuse_judged`), AlreadyImported if
    near-duplicates are already stored, and ClustersRefused if none are found.
    """
    check_clustering(collection, likeness)

    def show_progress(done: int, total: int) -> None:
        if progress:
            progress(done, total, "Comparing texts")

    classes = clusters.find_classes(passages.all_texts(collection), likeness, show_progress)
    return _store_unless_judged(collection, classes, who)


def check_clustering(collection: Collection, likeness: Likeness) -> None:
    """Raise the errors of :func:`cluster_texts` that can be detected before any text is read."""
    clusters.check_likeness(likeness)
    refuse_judged(collection)  # checked first: if judged, the current classes cannot be removed either
    clusters.refuse_if_clustered(collection)


def import_clusters(
    collection: Collection, path: Path, *, name: str = "", who: str = "", progress: Progress | None = None
) -> ClusterSet:
    """Store the classes of near-duplicates from a cluster file.

    At least one of the file's passages must be in the collection. ``parameters["in_collection"]`` of the stored set
    counts the file's passages that our database has. Raises InvalidClusterFile and the errors of
    :func:`cluster_texts`.
    """
    refuse_judged(collection)
    clusters.refuse_if_clustered(collection)
    classes = clusters.classes_in_file(path, name=name, progress=progress)
    known = clusters.count_recorded(collection, classes.canonical)
    if classes.canonical and not known and not _found_anywhere(collection, set(classes.canonical)):
        raise ClustersRefused(
            f"None of the file's {many(len(classes.canonical), 'passage')} is in {collection.name}.",
            "Check that the file uses the collection's passage IDs, in the second column.",
        )
    counted = replace(classes, parameters=classes.parameters | {"in_collection": known})
    return _store_unless_judged(collection, counted, who)


def _found_anywhere(collection: Collection, pids: set[str]) -> bool:
    """Return whether any run or passage file of the collection contains any of these passages, pooled or not."""
    rankings = (
        ranking_files.ranking_of(run).frame()["pid"].unique() for run in collection.runs.order_by("pk")
    )
    return any(not pids.isdisjoint(ranked) for ranked in rankings) or passages.have_any(collection, pids)


def remove_clusters(collection: Collection, *, who: str = "") -> ClusterSet:
    """Remove the stored near-duplicates, so that only passages with equal texts share a class.

    Raises CampaignRefused once judging depends on the classes, and NotFound if no near-duplicates are stored.
    """
    with transaction.atomic():
        _let_requests_finish(collection)
        refuse_judged(collection)
        removed = clusters.remove_classes(collection, who=who)
        renew_orders(collection)
    return removed


def depends_on_classes(collection: Collection) -> str:
    """Name a campaign whose pairs, judgments or topics depend on the current classes; empty if there is none."""
    first = (
        Pair.objects.filter(campaign__collection=collection).order_by("pk").select_related("campaign").first()
    )
    if first is not None:
        return first.campaign.name
    taken = TopicAssignment.objects.filter(topic__campaign__collection=collection).order_by("pk")
    graded = GradedCampaign.objects.filter(pk=taken.values("topic__campaign")[:1]).first()
    if graded is not None:
        return graded.name
    return "a campaign" if Judgment.objects.filter(campaign__collection=collection).exists() else ""


def refuse_judged(collection: Collection) -> None:
    """Raise CampaignRefused if pairs, judgments or assigned topics depend on the current classes."""
    if name := depends_on_classes(collection):
        raise CampaignRefused(
            f"Tasks or judgments of {name} depend on the classes of {collection.name}, so the classes cannot change.",
            "Near-duplicates can be found, imported and removed until a campaign is created from a pool, a topic of "
            "a graded campaign is taken, or judgments are imported. Delete campaigns that are still drafts, or "
            "create a new collection.",
        )


def _store_unless_judged(collection: Collection, classes: clusters.Classes, who: str) -> ClusterSet:
    with transaction.atomic():
        _let_requests_finish(collection)
        refuse_judged(collection)
        stored = clusters.store_classes(collection, classes, who=who)
        renew_orders(collection)
    # Fetch the texts of the largest classes, so that people can review them.
    shown = [pid for one in stored.summary["largest"] for pid in (one["canonical"], *one["others"])]
    passages.ensure(collection=collection, pids=shown)
    return stored


@dataclass(frozen=True)
class PoolEffect:
    """The numbers of classes and of pairs in a pool, each before and after merging near-duplicates."""

    pool: Pool
    passages: int
    classes: tuple[int, int]
    pairs: tuple[int, int]


def effect_on(pool: Pool) -> PoolEffect:
    """Return how merging near-duplicates changes the numbers of classes and pairs in a pool."""
    rows = PooledPassage.objects.filter(pool=pool).values_list(
        "query_id", "passage__class_key", "passage__text"
    )
    of_texts: dict[int, list[str]] = {}
    now: dict[int, list[str]] = {}
    for query, key, text in rows.iterator(chunk_size=2000):
        of_texts.setdefault(query, []).append(class_key(text))
        now.setdefault(query, []).append(key)
    sizes = [[count_classes(keys) for keys in found.values()] for found in (of_texts, now)]
    return PoolEffect(
        pool,
        sum(map(len, now.values())),
        (sum(sizes[0]), sum(sizes[1])),
        (pairs_to_judge(sizes[0]), pairs_to_judge(sizes[1])),
    )


def _let_requests_finish(collection: Collection) -> None:
    """Lock the collection's campaigns and topics, so that nobody requests pairs or takes a topic meanwhile."""
    lock_topics(collection)
    Campaign.objects.filter(collection=collection).update(seed=F("seed"))
