"""A version's queries with their best answers: filter, search and pagination."""

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
from leaderboard.scoring.chosen_runs import official_set
from pooling.collections.members import may
from pooling.models import Collection, PooledPassage, PrivateQuery, Qrel, QrelSet, Query
from tournament.dois import doi_address
from tournament.models import PreferenceQrel, QrelVersion, VersionQuery
from tournament.services.passage_visibility import sight_on_answers
from tournament.services.version_dois import doi_of
from web.common.label_sight import label_sight
from web.common.outdated_versions import outdated_for
from web.common.visibility import sees_everything

QUERIES_A_PAGE = 50
FILTERS = {
    "": "all",
    "closed": "closed",
    "open": "open",
    "singleton": "singletons",
    "tied": "tied",
    "cycle": "cycles",
    "beaten": "official qrel beaten",
    "changed": "changed since the previous version",
    "carried": "carried over",
}


@dataclass(frozen=True)
class QueryLine:
    """A query of the version, with the pids of the best answers that the person can see (``best``).

    ``hidden`` counts the other best answers. ``text`` is the text of the first visible one; empty if it is not known.
    """

    row: VersionQuery
    best: list[str]
    hidden: int
    text: str = ""


@dataclass(frozen=True)
class Wish:
    """The query filter in the address. Invalid values are ignored."""

    show: str = ""
    text: str = ""

    @classmethod
    def of(cls, parameters: Any) -> Wish:
        """Parse a query string."""
        show = parameters.get("show", "")
        return cls(show if show in FILTERS else "", parameters.get("q", "").strip())

    @property
    def address(self) -> str:
        return urlencode({key: value for key, value in (("show", self.show), ("q", self.text)) if value})


def version_page(version: QrelVersion, user: Any, parameters: Any) -> dict[str, Any]:
    wish = Wish.of(parameters)
    everything = sees_everything(user, version.collection)
    official = official_of(version.collection, user)
    page: Page[VersionQuery] = Paginator(asked_queries(version, wish, user), QUERIES_A_PAGE).get_page(
        parameters.get("page")
    )
    return {
        "collection": version.collection,
        "version": version,
        "official": official,
        "filters": FILTERS | ({"beaten": f"{official.name} qrel beaten"} if official else {}),
        "wish": wish,
        "page": page,
        "lines": query_lines(version, list(page.object_list), user),
        "counts": _status_counts(version, everything, _hides_singletons(version, user)),
        "doi": (doi := doi_of(version)),
        "doi_address": doi_address(doi),
        "may_publish": may(user, "publish version", version.collection),
        "sees_everything": everything,
        "outdated": outdated_for(user, [version.collection]).get(version.collection_id),
    }


def asked_queries(version: QrelVersion, wish: Wish, user: Any) -> QuerySet[VersionQuery]:
    """Return the filtered queries whose results the person can see, in the collection's order."""
    everything = sees_everything(user, version.collection)
    show = "closed" if wish.show == "singleton" and _hides_singletons(version, user) else wish.show
    rows = marked_queries(version, official_of(version.collection, user)).filter(
        _shown_queries(version, everything)
    )
    if wish.text:
        rows = rows.filter(Q(query__qid=wish.text) | Q(query__text__icontains=wish.text))
    if show == "closed" and _hides_singletons(version, user):
        return rows.exclude(status="open").order_by("query__position", "pk")
    return filter_by_status(rows, show).order_by("query__position", "pk")


def neighbors(version: QrelVersion, query: Query, user: Any, parameters: Any) -> dict[str, Any]:
    """Return the previous and next query under the address's filter (None at an end)."""
    wish = Wish.of(parameters)
    rows = asked_queries(version, wish, user)
    place = query.position
    return {
        "wish": wish,
        "earlier": rows.filter(query__position__lt=place).order_by("-query__position", "-pk").first(),
        "later": rows.filter(query__position__gt=place).first(),
    }


def official_of(collection: Collection, user: Any) -> QrelSet | None:
    """Return the qrel set that best answers are compared with, if there is one that this person may see."""
    try:
        found = official_set(collection)
    except UnknownLabels:
        return None
    return found if label_sight(collection, user).shows_set(found) else None


def letter_of(place: int) -> str:
    """Return a page's name for a passage: A, B, …, Z, A1, B1, …"""
    round_, letter = divmod(place, 26)
    return chr(ord("A") + letter) + (str(round_) if round_ else "")


def marked_queries(version: QrelVersion, official: QrelSet | None) -> QuerySet[VersionQuery]:
    """Return the version's queries, each annotated with ``beaten`` and ``changed``.

    ``beaten``: the query's official label was in a pool or pair but is not a best answer. Pools and the perfect run
    use this label; other relevant passages are ignored. ``changed``: the parent version has other best answers, or
    does not cover the query; false without a parent.
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
        .annotate(label=Subquery(_official_label_query(official, OuterRef("query"))))
        .annotate(beaten=_is_label_beaten(version), changed=changed)
    )


def official_label_key(official: QrelSet | None, query: Query) -> int | None:
    """Return the passage key of the query's official label; None if there is none.

    It is the passage with the highest grade; among several, the first in the file.
    """
    return _official_label_query(official, query.pk).first()


def _official_label_query(official: QrelSet | None, query: Any) -> QuerySet[Any, int]:
    """Select a query's official label in the database, as ``pooling.rules.shallow.one_relevant_each`` does."""
    least = official.min_grade if official else 0
    relevant = Qrel.objects.filter(qrel_set=official, query=query, grade__gte=least)
    return relevant.order_by("-grade", "position").values_list("passage", flat=True)[:1]


def _is_label_beaten(version: QrelVersion) -> Q:
    """Return the condition that the annotated label was in a pool or pair and is not a best answer."""
    best = PreferenceQrel.objects.filter(version=version, query=OuterRef("query"))
    pooled = PooledPassage.objects.filter(query=OuterRef("query"), passage=OuterRef("label"))
    paired = Pair.objects.filter(
        Q(passage_a=OuterRef("label")) | Q(passage_b=OuterRef("label")), query=OuterRef("query")
    )
    judged = Q(Exists(pooled)) | Q(Exists(paired))
    upheld = best.filter(passage=OuterRef("label"))
    return judged & ~Q(Exists(upheld))


def filter_by_status(rows: QuerySet[VersionQuery], chosen: str) -> QuerySet[VersionQuery]:
    if chosen in ("closed", "open", "singleton"):
        return rows.filter(status=chosen)
    return rows.filter(**{chosen: True}) if chosen else rows


def query_lines(version: QrelVersion, rows: Sequence[VersionQuery], user: Any) -> list[QueryLine]:
    """Return the rows with their best answers, in a fixed number of database queries."""
    best: dict[int, list[tuple[int, str, str]]] = defaultdict(list)
    qrels = PreferenceQrel.objects.filter(version=version, query__in=[row.query_id for row in rows])
    named = qrels.order_by("propagated", "passage__pid").values_list(
        "query_id", "passage_id", "passage__pid", "passage__text"
    )
    for query, passage, pid, text in named:
        best[query].append((passage, pid, text or ""))
    sight = sight_on_answers(version, [row.query for row in rows], user)
    lines = []
    for row in rows:
        row.status = sight.status(row.status)
        seen = [one for one in best[row.query_id] if sight.sees(row.query_id, one[0])]
        pids, hidden = [pid for _, pid, _ in seen], len(best[row.query_id]) - len(seen)
        lines.append(QueryLine(row, pids, hidden, seen[0][2] if seen else ""))
    return lines


def _shown_queries(version: QrelVersion, everything: bool) -> Q:
    """Return the condition that leaves out private queries, unless the person sees everything."""
    private = PrivateQuery.objects.filter(split__collection=version.collection_id, query=OuterRef("query"))
    return Q() if everything else ~Q(Exists(private))


def _hides_singletons(version: QrelVersion, user: Any) -> bool:
    """Return whether to show singletons as closed; :attr:`Sight.hides_singletons` explains why."""
    return bool(label_sight(version.collection, user).withheld)


def _status_counts(version: QrelVersion, everything: bool, hides_singletons: bool) -> dict[str, int]:
    found = VersionQuery.objects.filter(_shown_queries(version, everything), version=version).aggregate(
        closed=Count("pk", filter=Q(status="closed")),
        open=Count("pk", filter=Q(status="open")),
        singletons=Count("pk", filter=Q(status="singleton")),
        tied=Count("pk", filter=Q(tied=True)),
        cycles=Count("pk", filter=Q(cycle=True)),
        carried=Count("pk", filter=Q(carried=True)),
    )
    if hides_singletons:
        found |= {"closed": found["closed"] + found["singletons"], "singletons": 0}
    return found
