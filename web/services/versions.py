"""A version's queries: filtered, searched, cut into pages, with their best answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from leaderboard.errors import UnknownLabels
from leaderboard.services import official_set
from pooling.models import Passage, Qrel, QrelSet
from tournament.models import PreferenceQrel, QrelVersion, VersionQuery
from web.services.visibility import sight_of

QUERIES_A_PAGE = 50
FILTERS = {
    "": "all",
    "closed": "closed",
    "open": "open",
    "singleton": "singletons",
    "tied": "tied",
    "cycle": "cycles",
    "beaten": "official qrel beaten",
    "changed": "changed since the version before",
    "carried": "carried over",
}


@dataclass(frozen=True)
class QueryLine:
    """A query of the version; ``best`` leaves out passages that the person may not see and counts them."""

    row: VersionQuery
    best: list[Passage]
    hidden: int


def version_page(version: QrelVersion, user: Any, parameters: Any) -> dict[str, Any]:
    """All that a version's page shows."""
    chosen = parameters.get("show", "")
    chosen = chosen if chosen in FILTERS else ""
    found = parameters.get("q", "").strip()
    official = official_of(version)
    rows = marked(version, official)
    if found:
        rows = rows.filter(Q(query__qid=found) | Q(query__text__icontains=found))
    page: Page[VersionQuery] = Paginator(
        filtered(rows, chosen).order_by("query__position", "pk"), QUERIES_A_PAGE
    ).get_page(parameters.get("page"))
    return {
        "collection": version.collection,
        "version": version,
        "official": official,
        "filters": FILTERS,
        "chosen": chosen,
        "found": found,
        "page": page,
        "lines": lines_of(version, list(page.object_list), user),
        "counts": _counts(version),
        "versions": QrelVersion.objects.filter(collection=version.collection)
        .defer("manifest")
        .order_by("-number"),
    }


def official_of(version: QrelVersion) -> QrelSet | None:
    """The qrel set that best answers are set against, if there is one."""
    try:
        return official_set(version.collection)
    except UnknownLabels:
        return None


def marked(version: QrelVersion, official: QrelSet | None) -> QuerySet[VersionQuery]:
    """The version's queries, each marked ``beaten`` and ``changed``.

    Beaten: there are relevant passages in the official set, and none of them is a best answer. Changed: the
    parent version has other best answers, or does not cover the query.
    """
    best = PreferenceQrel.objects.filter(query=OuterRef("query"))
    before = best.filter(version=version.parent_id)
    kept = PreferenceQrel.objects.filter(query=OuterRef("query"), passage=OuterRef("passage"))
    arrived = best.filter(version=version).exclude(Exists(kept.filter(version=version.parent_id)))
    left = before.exclude(Exists(kept.filter(version=version)))
    relevant = Qrel.objects.none()
    if official:
        relevant = Qrel.objects.filter(
            qrel_set=official, query=OuterRef("query"), grade__gte=official.min_grade
        )
    upheld = relevant.filter(Exists(kept.filter(version=version)))
    changed = Exists(arrived) | Exists(left) if version.parent_id else Q(pk__isnull=True)
    return (
        VersionQuery.objects.filter(version=version)
        .select_related("query")
        .annotate(beaten=Q(Exists(relevant)) & ~Q(Exists(upheld)), changed=changed)
    )


def filtered(rows: QuerySet[VersionQuery], chosen: str) -> QuerySet[VersionQuery]:
    """The rows of one filter."""
    if chosen in ("closed", "open", "singleton"):
        return rows.filter(status=chosen)
    return rows.filter(**{chosen: True}) if chosen else rows


def lines_of(version: QrelVersion, rows: Sequence[VersionQuery], user: Any) -> list[QueryLine]:
    """The rows with their best answers."""
    best: dict[int, list[Passage]] = defaultdict(list)
    qrels = PreferenceQrel.objects.filter(version=version, query__in=[row.query_id for row in rows])
    for qrel in qrels.select_related("passage").order_by("propagated", "passage__pid"):
        best[qrel.query_id].append(qrel.passage)
    sight = sight_of(version.collection, [row.query for row in rows], user)
    lines = []
    for row in rows:
        shown = [passage for passage in best[row.query_id] if sight.sees(row.query_id, passage.pk)]
        lines.append(QueryLine(row, shown, len(best[row.query_id]) - len(shown)))
    return lines


def _counts(version: QrelVersion) -> dict[str, int]:
    return VersionQuery.objects.filter(version=version).aggregate(
        closed=Count("pk", filter=Q(status="closed")),
        open=Count("pk", filter=Q(status="open")),
        singletons=Count("pk", filter=Q(status="singleton")),
        tied=Count("pk", filter=Q(tied=True)),
        cycles=Count("pk", filter=Q(cycle=True)),
        carried=Count("pk", filter=Q(carried=True)),
    )
