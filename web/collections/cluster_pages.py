from dataclasses import dataclass
from typing import Any

from config.background.models import Job
from config.errors import Refusal
from judging.campaign.duplicate_classes import PoolEffect, clustering_key, effect_on, refuse_judged
from pooling.collections.members import may
from pooling.models import ClusterSet, Collection, Pool
from pooling.passages.clusters import OTHERS, cluster_set_of
from web.common.job_progress import Work

#: How many of the newest pools are shown. Their classes and pairs are counted again on every visit.
POOLS_SHOWN = 5


@dataclass(frozen=True)
class ShownClass:
    """One of the largest classes: its size, and at most 25 (pid, text), the canonical passage first."""

    size: int
    passages: list[tuple[str, str | None]]

    @property
    def more(self) -> int:
        """The number of passages of the class that are not shown."""
        return self.size - len(self.passages)

    @property
    def cut(self) -> bool:
        """Whether an older release stored fewer passages of the class than pages now show."""
        return len(self.passages) < min(self.size, 1 + OTHERS)


def clusters_page(collection: Collection, user: Any) -> dict[str, Any]:
    stored = cluster_set_of(collection)
    return {
        "collection": collection,
        "clusters": stored,
        "sizes": [(int(size), count) for size, count in stored.summary["sizes"].items()] if stored else [],
        "largest": largest_classes(stored) if stored else [],
        "effects": effects_on_pools(collection) if stored else [],
        "qrel_sets": collection.passage_labels().order_by("name") if stored else [],
        "judged": _refusal_if_judged(collection),
        "may_change": may(user, "add files", collection),
        "work": work_on_clusters(collection),
    }


def largest_classes(stored: ClusterSet) -> list[ShownClass]:
    """Return the largest classes with the known texts of their passages."""
    largest = stored.summary["largest"]
    pids = [pid for one in largest for pid in (one["canonical"], *one["others"])]
    texts = dict(stored.collection.passages.filter(pid__in=pids).values_list("pid", "text"))
    return [
        ShownClass(one["size"], [(pid, texts.get(pid)) for pid in (one["canonical"], *one["others"])])
        for one in largest
    ]


def effects_on_pools(collection: Collection) -> list[PoolEffect]:
    """Return the effect of the near-duplicates on each of the newest pools."""
    pools = Pool.objects.filter(collection=collection).order_by("-pk")[:POOLS_SHOWN]
    return [effect_on(pool) for pool in pools]


def work_on_clusters(collection: Collection) -> Work | None:
    """Return the latest job that searched for near-duplicates; None if there is none."""
    job = Job.objects.filter(key=clustering_key(collection)).order_by("-pk").first()
    return Work(job) if job else None


def _refusal_if_judged(collection: Collection) -> Refusal | None:
    try:
        refuse_judged(collection)
    except Refusal as refusal:
        return refusal
    return None
