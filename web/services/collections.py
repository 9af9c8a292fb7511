"""Collections in a list, one collection, one run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, QuerySet

from leaderboard import services as leaderboard
from leaderboard.services.evaluating import measure_for
from leaderboard.services.labels import Labels, qrel_set_labels, version_labels
from pooling.models import Collection, Pool, QrelSet, Query, Run
from tournament.models import QrelVersion
from web.services.campaigns import Progress, campaigns_of, progress_of
from web.services.visibility import listed_runs, sees_everything

RUNS_A_PAGE = 50
VERSIONS_OF_A_RUN = 5
MEASURES = ("RR@10", "nDCG@10", "P@10", "Success@10")
RUN_SORTS = ("run_tag", "team", "submitted_on", "created_at", "release")


@dataclass(frozen=True)
class Listed:
    """A collection in a list."""

    collection: Collection
    queries: int
    runs: int
    pools: int
    versions: int


@dataclass(frozen=True)
class RunValues:
    """A run's means under one set of labels, in the order of ``MEASURES``; None where it is not defined."""

    name: str
    version: QrelVersion | None
    queries: int
    answered: int
    missing: int
    means: list[float | None]


def listed_collections(user: Any) -> list[Listed]:
    """Every collection with its counts; runs are those the person may see."""
    collections = list(Collection.objects.order_by("name"))
    runs = Run.objects.all() if sees_everything(user) else Run.objects.exclude(release=Run.Release.PRIVATE)
    queries, pools, versions = (_count(kind.objects.all()) for kind in (Query, Pool, QrelVersion))
    shown = _count(runs)
    return [
        Listed(row, *(counts.get(row.pk, 0) for counts in (queries, shown, pools, versions)))
        for row in collections
    ]


def _count(rows: QuerySet[Any]) -> dict[int, int]:
    return dict(rows.values_list("collection").annotate(Count("pk")).order_by())


def collection_page(collection: Collection, user: Any, parameters: Any) -> dict[str, Any]:
    """All that a collection's page shows."""
    sort = parameters.get("sort", "run_tag")
    if sort.removeprefix("-") not in RUN_SORTS:
        sort = "run_tag"
    runs = listed_runs(collection, user).order_by(sort, "run_tag")
    found = parameters.get("q", "").strip()
    if found:
        runs = runs.filter(run_tag__icontains=found)
    page: Page[Run] = Paginator(runs, RUNS_A_PAGE).get_page(parameters.get("page"))
    campaigns: list[Progress] = progress_of(campaigns_of([collection]))
    return {
        "collection": collection,
        "queries": Query.objects.filter(collection=collection).count(),
        "page": page,
        "sort": sort,
        "found": found,
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
    }


def run_page(collection: Collection, run: Run) -> dict[str, Any]:
    """All that a run's page shows."""
    labels = [
        qrel_set_labels(qrel_set)
        for qrel_set in QrelSet.objects.filter(collection=collection).order_by("name")
    ]
    versions = QrelVersion.objects.filter(collection=collection).order_by("-number")[:VERSIONS_OF_A_RUN]
    labels += [version_labels(version) for version in versions]
    return {
        "collection": collection,
        "run": run,
        "warnings": run.report.get("warnings", []),
        "measures": MEASURES,
        "values": [_values(collection, run, one) for one in labels if one.qids],
    }


def _values(collection: Collection, run: Run, labels: Labels) -> RunValues:
    measures = [measure_for(name, labels) for name in MEASURES]
    found = leaderboard.evaluate(collection=collection, runs=[run], labels=labels, measures=measures)
    scored = [found[run.pk, measure.name] for measure in measures]
    return RunValues(
        name=labels.name,
        version=labels.version,
        queries=len(labels.qids),
        answered=scored[0].answered,
        missing=scored[0].missing,
        means=[None if one.mean != one.mean else one.mean for one in scored],
    )
