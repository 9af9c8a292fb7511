"""A version's queries: filtered, searched, cut into pages, with their best answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from judging.models import Pair
from leaderboard.errors import UnknownLabels
from leaderboard.services import official_set
from pooling.models import PooledPassage, PrivateQuery, Qrel, QrelSet, Query
from pooling.services.members import may
from tournament.manifest import sha256, trec_qrels
from tournament.models import PreferenceQrel, QrelVersion, VersionQuery
from web.services.outdated import outdated_for
from web.services.visibility import Sight, hidden_queries, sees_everything, sight_on_answers

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
    """A query of the version; ``best`` has the pids of its best answers, but for passages that the person may not
    see, which are counted."""

    row: VersionQuery
    best: list[str]
    hidden: int


@dataclass(frozen=True)
class Wish:
    """Which queries of a version are asked for. What makes no sense is ignored."""

    show: str = ""
    text: str = ""

    @classmethod
    def of(cls, parameters: Any) -> Wish:
        """From an address's query string."""
        show = parameters.get("show", "")
        return cls(show if show in FILTERS else "", parameters.get("q", "").strip())

    @property
    def address(self) -> str:
        """The same as a query string."""
        return urlencode({key: value for key, value in (("show", self.show), ("q", self.text)) if value})


def version_page(version: QrelVersion, user: Any, parameters: Any) -> dict[str, Any]:
    """All that a version's page shows."""
    wish = Wish.of(parameters)
    everything = sees_everything(user, version.collection)
    page: Page[VersionQuery] = Paginator(asked_queries(version, wish, user), QUERIES_A_PAGE).get_page(
        parameters.get("page")
    )
    return {
        "collection": version.collection,
        "version": version,
        "official": official_of(version),
        "filters": FILTERS,
        "wish": wish,
        "page": page,
        "lines": lines_of(version, list(page.object_list), user),
        "counts": _counts(version, everything),
        "may_publish": may(user, "publish version", version.collection),
        "sees_everything": everything,
        "outdated": outdated_for(user, [version.collection]).get(version.collection_id),
    }


def asked_queries(version: QrelVersion, wish: Wish, user: Any) -> QuerySet[VersionQuery]:
    """The queries that a wish leaves, as far as the person may see results on them, in the collection's order."""
    everything = sees_everything(user, version.collection)
    rows = marked(version, official_of(version)).filter(_public(version, everything))
    if wish.text:
        rows = rows.filter(Q(query__qid=wish.text) | Q(query__text__icontains=wish.text))
    return filtered(rows, wish.show).order_by("query__position", "pk")


def neighbours(version: QrelVersion, query: Query, user: Any, parameters: Any) -> dict[str, Any]:
    """The queries before and after this one among those of the address's filter (None at an end)."""
    wish = Wish.of(parameters)
    rows = asked_queries(version, wish, user)
    place = query.position
    return {
        "wish": wish,
        "earlier": rows.filter(query__position__lt=place).order_by("-query__position", "-pk").first(),
        "later": rows.filter(query__position__gt=place).first(),
    }


def official_of(version: QrelVersion) -> QrelSet | None:
    """The qrel set that best answers are set against, if there is one."""
    try:
        return official_set(version.collection)
    except UnknownLabels:
        return None


def marked(version: QrelVersion, official: QrelSet | None) -> QuerySet[VersionQuery]:
    """The version's queries, each marked ``beaten`` and ``changed``.

    Beaten: the one official label that pools and the perfect run go by was judged and is no best answer; further
    relevant passages are not asked about. Changed: the parent version has other best answers, or does not cover
    the query.
    """
    best = PreferenceQrel.objects.filter(query=OuterRef("query"))
    before = best.filter(version=version.parent_id)
    kept = PreferenceQrel.objects.filter(query=OuterRef("query"), passage=OuterRef("passage"))
    arrived = best.filter(version=version).exclude(Exists(kept.filter(version=version.parent_id)))
    left = before.exclude(Exists(kept.filter(version=version)))
    changed = Exists(arrived) | Exists(left) if version.parent_id else Q(pk__isnull=True)
    return (
        VersionQuery.objects.filter(version=version)
        .select_related("query")
        .annotate(label=Subquery(_the_label(official, OuterRef("query"))))
        .annotate(beaten=_beaten(version), changed=changed)
    )


def the_label(official: QrelSet | None, query: Query) -> int | None:
    """Key of the query's one official label: the highest grade, then the first in the file; None without one."""
    return _the_label(official, query.pk).first()


def _the_label(official: QrelSet | None, query: Any) -> QuerySet[Any, int]:
    """The rule of pooling.shallow.known_relevant, as a query of the database."""
    least = official.min_grade if official else 0
    relevant = Qrel.objects.filter(qrel_set=official, query=query, grade__gte=least)
    return relevant.order_by("-grade", "position").values_list("passage", flat=True)[:1]


def _beaten(version: QrelVersion) -> Q:
    """The annotated label was in a pool or a pair of the query, and the best answers are others."""
    best = PreferenceQrel.objects.filter(version=version, query=OuterRef("query"))
    pooled = PooledPassage.objects.filter(query=OuterRef("query"), passage=OuterRef("label"))
    paired = Pair.objects.filter(
        Q(passage_a=OuterRef("label")) | Q(passage_b=OuterRef("label")), query=OuterRef("query")
    )
    judged = Q(Exists(pooled)) | Q(Exists(paired))
    upheld = best.filter(passage=OuterRef("label"))
    return judged & ~Q(Exists(upheld))


def filtered(rows: QuerySet[VersionQuery], chosen: str) -> QuerySet[VersionQuery]:
    """The rows of one filter."""
    if chosen in ("closed", "open", "singleton"):
        return rows.filter(status=chosen)
    return rows.filter(**{chosen: True}) if chosen else rows


def lines_of(version: QrelVersion, rows: Sequence[VersionQuery], user: Any) -> list[QueryLine]:
    """The rows with their best answers; as many questions for one as for many."""
    best: dict[int, list[tuple[int, str]]] = defaultdict(list)
    qrels = PreferenceQrel.objects.filter(version=version, query__in=[row.query_id for row in rows])
    named = qrels.order_by("propagated", "passage__pid").values_list("query_id", "passage_id", "passage__pid")
    for query, passage, pid in named:
        best[query].append((passage, pid))
    sight = sight_on_answers(version, [row.query for row in rows], user)
    lines = []
    for row in rows:
        shown = [pid for passage, pid in best[row.query_id] if sight.sees(row.query_id, passage)]
        lines.append(QueryLine(row, shown, len(best[row.query_id]) - len(shown)))
    return lines


def released_qrels(version: QrelVersion, user: Any, sight: Sight | None = None) -> tuple[bytes, int, str]:
    """The version's qrels file as far as this person may see it, how many lines are left out, and its SHA-256.

    A passage that only unreleased runs supplied, or the result of a private query, is on no page for the public, so
    it is in no file either. ``sight``: of these queries, where it is known already.
    """
    columns = ("query_id", "passage_id", "query__position", "query__qid", "passage__pid")
    rows = list(version.qrels.values_list(*columns))
    sight = sight or sight_on_answers(version, None, user)
    hidden = hidden_queries(version.collection, user)
    shown = [
        (position, qid, pid)
        for query, passage, position, qid, pid in rows
        if qid not in hidden and sight.sees(query, passage)
    ]
    content = trec_qrels(shown)
    return content, len(rows) - len(shown), sha256(content)


def _public(version: QrelVersion, everything: bool) -> Q:
    """Leaves out private queries, except for people who see everything."""
    private = PrivateQuery.objects.filter(split__collection=version.collection_id, query=OuterRef("query"))
    return Q() if everything else ~Q(Exists(private))


def _counts(version: QrelVersion, everything: bool) -> dict[str, int]:
    return VersionQuery.objects.filter(_public(version, everything), version=version).aggregate(
        closed=Count("pk", filter=Q(status="closed")),
        open=Count("pk", filter=Q(status="open")),
        singletons=Count("pk", filter=Q(status="singleton")),
        tied=Count("pk", filter=Q(tied=True)),
        cycles=Count("pk", filter=Q(cycle=True)),
        carried=Count("pk", filter=Q(carried=True)),
    )
