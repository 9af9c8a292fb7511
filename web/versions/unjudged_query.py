"""A query without a result yet: its pooled and labeled passages, and their ranks in runs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pooling.collections.members import may
from pooling.models import Collection, PooledPassage, Qrel, Query, Run
from pooling.runs.runs import tops_of
from tournament.models import QrelVersion
from tournament.services.passage_visibility import sight_of
from web.common.visibility import hidden_queries, hides_texts, texts_of_ranked
from web.versions.pages import letter_of, official_label_key, official_of
from web.versions.query_ranks import rank_table, shown_runs

#: The most passages shown; a qrel set made by assessors can label hundreds of passages of a query.
PASSAGES_SHOWN = 40


@dataclass(frozen=True)
class ListedPassage:
    """A passage of the query that this person can see; ``text`` is empty if it is not known."""

    letter: str
    pid: str
    text: str
    pooled: bool
    official: bool
    """Whether it is the official label that pools use."""
    grade: int | None
    relevant: bool
    """Whether the grade makes it relevant."""
    runs: list[Run]
    """The runs that supplied it to a pool, or without a pool, that have it on top."""


def covering_version(query: Query) -> QrelVersion | None:
    """Return the latest version that covers the query."""
    covering = QrelVersion.objects.filter(collection=query.collection_id, queries__query=query)
    return covering.defer("manifest").order_by("-number").first()


def unjudged_query_page(collection: Collection, query: Query, user: Any) -> dict[str, Any]:
    """Return the data of the page. Without a pool, it shows the labeled passages and the top passages of runs."""
    suppliers = _suppliers_by_pid(collection, query, user)
    pooled = bool(suppliers)
    runs = shown_runs(collection, user)
    if not pooled:
        for run in runs:
            for pid in tops_of(run).get(query.qid, ()):
                suppliers.setdefault(pid, []).append(run)
    official = official_of(collection, user)
    rows = list(Qrel.objects.filter(qrel_set=official, query=query).select_related("passage"))
    grades = {row.passage.pid: row.grade for row in rows}
    relevant = {pid for pid, grade in grades.items() if official and grade >= official.min_grade}
    label = official_label_key(official, query)
    known = next((row.passage.pid for row in rows if row.passage_id == label), "")
    pids = _likely_first({*suppliers, *grades}, known, suppliers, grades)
    shown = pids[:PASSAGES_SHOWN]
    texts = texts_of_ranked(collection, shown, user)
    lines = [
        ListedPassage(
            letter_of(place),
            pid,
            texts.get(pid, ""),
            pooled and pid in suppliers,
            pid == known,
            grades.get(pid),
            pid in relevant,
            suppliers.get(pid, []),
        )
        for place, pid in enumerate(shown)
    ]
    good = {line.letter for line in lines if line.relevant}
    return {
        "collection": collection,
        "query": query,
        "lines": lines,
        "labels_name": official.name if official else "",
        "total": len(pids),
        "left_out": len(pids) - len(shown),
        "pooled": pooled,
        "without_text": any(not line.text for line in lines),
        "may_fetch": may(user, "add files", collection),
        "passage_files": collection.sources.exists(),
        "texts_hidden": hides_texts(collection, user),
        "comparable": len(runs) > 1,
        "ranks": rank_table(collection, query, [(line.letter, line.pid) for line in lines], good, user),
        **_neighboring_queries(collection, query, user),
    }


def _suppliers_by_pid(collection: Collection, query: Query, user: Any) -> dict[str, list[Run]]:
    """Return pid → the visible runs that supplied it, for pooled passages that the person can see."""
    sight = sight_of(collection, [query], user)
    rows = PooledPassage.objects.filter(pool__collection=collection, query=query).select_related("passage")
    return {
        row.passage.pid: sight.shown_suppliers(query.pk, row.passage_id)
        for row in rows
        if sight.sees(query.pk, row.passage_id)
    }


def _likely_first(
    pids: Iterable[str], known: str, suppliers: dict[str, list[Run]], grades: dict[str, int]
) -> list[str]:
    """Sort passages: the known relevant passage first, then by number of runs, then by grade."""
    return sorted(
        pids, key=lambda pid: (pid != known, -len(suppliers.get(pid, ())), -grades.get(pid, -1), pid)
    )


def _neighboring_queries(collection: Collection, query: Query, user: Any) -> dict[str, Any]:
    """Return the previous and next query of the collection; None at an end."""
    hidden = hidden_queries(collection, user)
    rows = Query.objects.filter(collection=collection).exclude(qid__in=hidden)
    return {
        "earlier": rows.filter(position__lt=query.position).order_by("-position", "-pk").first(),
        "later": rows.filter(position__gt=query.position).order_by("position", "pk").first(),
    }
