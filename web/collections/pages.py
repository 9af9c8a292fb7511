"""Collections in a list, and one collection."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from pooling.models import Collection, Pool, QrelSet, Query, Run
from pooling.services.members import may, visible_to
from pooling.services.query_splits import private_qids
from tournament.models import QrelVersion
from web.common.campaign_rows import Progress, campaigns_of, campaigns_progress, shown_to_everybody
from web.common.visibility import as_shown, listed_everywhere, listed_runs, sees_everything
from web.webhooks import pages as listing

RUNS_SHOWN = 10


@dataclass(frozen=True)
class Listed:
    """A collection in a list."""

    collection: Collection
    queries: int
    runs: int
    pools: int
    versions: int


def listed_collections(user: Any) -> list[Listed]:
    """Return every collection that this person can see, with counts; only visible runs are counted."""
    collections = list(visible_to(user).order_by("name"))
    queries, pools, versions = (_count(kind.objects.all()) for kind in (Query, Pool, QrelVersion))
    shown = _count(listed_everywhere(user))
    return [
        Listed(row, *(counts.get(row.pk, 0) for counts in (queries, shown, pools, versions)))
        for row in collections
    ]


def _count(rows: QuerySet[Any]) -> dict[int, int]:
    return dict(rows.values_list("collection").annotate(Count("pk")).order_by())


def seen_by_everybody(collection: Collection) -> dict[str, Any]:
    """Return counts of what publishing the collection would show to everybody."""
    runs = Counter(Run.objects.filter(collection=collection).values_list("release", flat=True))
    names = Run.objects.filter(collection=collection, release=Run.Release.PUBLIC).order_by("run_tag")
    return {
        "collection": collection,
        "runs": {level: runs[level] for level in Run.Release.values},
        "public_runs": list(names.values_list("run_tag", flat=True)[:RUNS_SHOWN]),
        "queries": Query.objects.filter(collection=collection).count(),
        "private_queries": len(private_qids(collection)),
        "versions": QrelVersion.objects.filter(collection=collection).count(),
        "campaigns": shown_to_everybody(collection),
    }


def collection_page(collection: Collection, user: Any) -> dict[str, Any]:
    """Return the data of a collection's page."""
    everything = sees_everything(user, collection)
    runs = listed_runs(collection, user)
    campaigns: list[Progress] = campaigns_progress(campaigns_of([collection], user), user)
    may_hook = may(user, "manage webhooks", collection)
    return {
        "collection": collection,
        "queries": Query.objects.filter(collection=collection).count(),
        "runs": runs.count(),
        "latest_runs": [
            as_shown(run, everything) for run in runs.order_by("-created_at", "-pk")[:RUNS_SHOWN]
        ],
        "qrel_sets": QrelSet.objects.filter(collection=collection)
        .annotate(labels=Count("qrels"), covered=Count("qrels__query", distinct=True))
        .order_by("name"),
        "pools": Pool.objects.filter(collection=collection)
        .select_related("qrel_set")
        .annotate(queries=Count("pooled_passages__query", distinct=True), passages=Count("pooled_passages"))
        .order_by("name"),
        "versions": QrelVersion.objects.filter(collection=collection)
        .select_related("campaign")
        .defer("manifest")
        .order_by("-number"),
        "campaigns": campaigns,
        "sees_members": may(user, "see members", collection),
        "may_prepare": may(user, "prepare campaign", collection),
        "may_send": may(user, "upload run", collection),
        "may_add": may(user, "add files", collection),
        "may_describe": may(user, "describe collection", collection),
        "may_hook": may_hook,
        "webhook_troubles": listing.troubles([collection.pk]) if may_hook else [],
    }
