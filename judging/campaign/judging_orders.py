"""The order in which a graded campaign's passages are judged, renewed while near-duplicates can still change."""

from collections import defaultdict

from django.db.models import F

from judging.campaign.pairs import class_representatives
from judging.models import GradedCampaign, Topic, TopicAssignment
from judging.rules.topic_life import pool_order
from pooling.models import Collection, Pool, PooledPassage
from pooling.pools.pools import pooled_tops

BATCH = 500


def lock_topics(collection: Collection) -> None:
    """Lock the topics of the collection's graded campaigns, so that nobody takes or creates one meanwhile."""
    Collection.objects.filter(pk=collection.pk).update(language=F("language"))
    Topic.objects.filter(campaign__collection=collection).update(query=F("query"))


def judging_begun(campaign: GradedCampaign) -> bool:
    """Return whether a topic was ever assigned to an assessor or a crowd."""
    return TopicAssignment.objects.filter(topic__campaign=campaign).exists()


def renew_orders(collection: Collection) -> None:
    """Recompute the judging orders of all topics of the collection after its classes of near-duplicates changed."""
    for campaign in (
        GradedCampaign.objects.filter(collection=collection).select_related("pool").order_by("pk")
    ):
        orders = judging_orders(campaign.pool)
        topics = list(campaign.topics.filter(query__in=orders).defer("order"))
        for topic in topics:
            topic.order = orders[topic.query_id]
        Topic.objects.bulk_update(topics, ["order"], batch_size=BATCH)


def judging_orders(pool: Pool) -> dict[int, list[tuple[int, int]]]:
    """Map each query key to its pooled passages in judging order.

    Each passage is (passage key, smallest rank of its class in any run). Each class of near-duplicates is listed only
    by its representative. Passages that no run supplied, such as a known relevant one, come last; their rank is one
    more than the pool's depth.
    """
    shown = class_representatives(pool)
    standing = {key for keys in shown.values() for key in keys}
    rows = PooledPassage.objects.filter(pool=pool).order_by("query_id", "passage_id")
    pids: dict[int, dict[str, tuple[int, str]]] = defaultdict(dict)
    first: dict[tuple[int, str], str] = {}
    for query, key, pid, class_key in rows.values_list(
        "query_id", "passage_id", "passage__pid", "passage__class_key"
    ).iterator(chunk_size=2000):
        pids[query][pid] = (key, class_key)
        if class_key and key in standing and key in shown[query]:
            first[query, class_key] = pid
    queries = dict(pool.collection.queries.filter(pk__in=shown).values_list("qid", "pk"))
    best: dict[int, dict[str, int]] = defaultdict(dict)
    for tops in pooled_tops(pool):
        for qid, ranked in tops.items():
            of_query = best[queries[qid]] if qid in queries else {}
            for rank, pid in enumerate(ranked, 1):
                of_query[pid] = min(rank, of_query.get(pid, rank))
    orders = {}
    for query, known in pids.items():
        stands = {pid: first.get((query, class_key), pid) for pid, (_, class_key) in known.items()}
        found = ((pid, rank) for pid, rank in best[query].items() if pid in known)
        unranked = ((pid, pool.depth + 1) for pid in known)
        ordered = pool_order([*found, *unranked], stands)
        orders[query] = [(known[pid][0], rank) for pid, rank in ordered]
    return orders
