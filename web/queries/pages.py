"""A list of a collection's queries: how well runs answer each query, its pool size, and its best answer."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from django.core.paginator import Page, Paginator
from django.db.models import Count, Q

from config.errors import Refusal
from leaderboard.board.default_measure import default_measure
from leaderboard.scoring.chosen_runs import board_version, official_set
from leaderboard.scoring.evaluation import evaluate, measure_for
from leaderboard.scoring.labels import Labels, qrel_set_labels, version_labels
from leaderboard.scoring.measure_names import parse_measure
from pooling.models import Collection, Passage, PooledPassage, Query, Run
from tournament.models import QrelVersion, VersionQuery
from web.common.label_sight import LabelSight, label_sight
from web.common.visibility import hidden_queries, listed_runs
from web.queries.best_answers import best_answers

QUERIES_A_PAGE = 50
SORTS = {
    "": "labeled first",
    "hardest": "hardest first",
    "disagreed": "most distinct top passages first",
}
SHOWN = {
    "": "all queries",
    "unanswered": "no run answers it",
    "open": "open in the latest version",
    "unjudged": "not in the latest version",
}


@dataclass(frozen=True)
class RunValues:
    """The values of runs, best run first, under the labels that order the board."""

    labels: Labels
    measure: str
    runs: tuple[Run, ...]
    values: npt.NDArray[np.float64]
    """The values, with one row per run and one column per query that the labels cover."""
    place: Mapping[str, int]
    """qid → column of ``values``."""

    def of_query(self, qid: str) -> list[float] | None:
        """Return the values of all runs on the query; None if the labels do not cover the query."""
        column = self.place.get(qid)
        return None if column is None else self.values[:, column].tolist()


@dataclass(frozen=True)
class QueryRow:
    query: Query
    values: list[float] | None
    pooled: int
    status: VersionQuery | None
    best: list[Passage]
    """Best answers that the person can see."""
    hidden: int

    @property
    def answered(self) -> int:
        """The number of runs that answer the query."""
        return sum(value > 0 for value in self.values or ())

    @property
    def mean(self) -> float | None:
        return sum(self.values) / len(self.values) if self.values else None


def queries_page(collection: Collection, user: Any, parameters: Any) -> dict[str, Any]:
    """Return one page of the queries, filtered and sorted as the URL requests."""
    show, sort = parameters.get("show", ""), parameters.get("sort", "")
    show, sort = show if show in SHOWN else "", sort if sort in SORTS else ""
    text = parameters.get("q", "").strip()
    version = board_version(collection, None)
    labels = leading_labels(collection, version, user)
    runs = list(listed_runs(collection, user))
    scored = run_values(collection, labels, runs, default_measure(collection)) if labels else None
    sight = label_sight(collection, user)
    pooled = _pooled_counts(collection, sight) if sort == "disagreed" else {}
    hidden = hidden_queries(collection, user)
    rows = Query.objects.filter(collection=collection).order_by("position", "pk")
    rows = rows.filter(Q(qid=text) | Q(text__icontains=text)) if text else rows
    covered = _status_by_query(version)
    keys = [
        (key, qid)
        for key, qid in rows.values_list("pk", "qid")
        if qid not in hidden and _is_listed(show, key, qid, scored, covered)
    ]
    page: Page[Any] = Paginator(_sorted_queries(keys, sort, scored, pooled), QUERIES_A_PAGE).get_page(
        parameters.get("page")
    )
    useless = {*([] if scored else ("unanswered", "hardest")), *([] if version else ("open", "unjudged"))}
    sorts = SORTS if scored else SORTS | {"": "as in the query file"}
    shown = [key for key, _ in page.object_list]
    page.object_list = _query_rows(
        shown, scored, pooled or _pooled_counts(collection, sight, shown), version, user
    )
    return {
        "collection": collection,
        "version": version,
        "scored": scored,
        "page": page,
        "show": show,
        "sort": sort,
        "found": text,
        "filters": {name: words for name, words in SHOWN.items() if name not in useless},
        "sorts": {name: words for name, words in sorts.items() if name not in useless},
        "hidden": len(hidden),
    }


def leading_labels(collection: Collection, version: QrelVersion | None, user: Any) -> Labels | None:
    """Return the version's labels, or else the official labels; None without either.

    Also None if this person may not see per-query values under these labels.
    """
    sight = label_sight(collection, user)
    if version:
        return version_labels(version) if sight.shows_queries(f"@{version.number}") else None
    try:
        official = official_set(collection)
    except Refusal:
        return None
    return qrel_set_labels(official) if sight.shows_queries(official.name) else None


def run_values(
    collection: Collection, labels: Labels, runs: Sequence[Run], measure_name: str
) -> RunValues | None:
    """Return the runs' values; None without runs or queries. Raises UnknownMeasure."""
    if not runs or not labels.qids:
        return None
    measure = measure_for(measure_name, labels)
    found = evaluate(collection=collection, runs=runs, labels=labels, measures=[measure])
    ordered = sorted(runs, key=lambda run: (-found[run.pk, measure.name].mean, run.run_tag))
    return RunValues(
        labels=labels,
        measure=parse_measure(measure_name).name,
        runs=tuple(ordered),
        values=np.stack([found[run.pk, measure.name].values for run in ordered]),
        place={qid: column for column, qid in enumerate(labels.qids)},
    )


def _pooled_counts(
    collection: Collection, sight: LabelSight, queries: Sequence[int] | None = None
) -> dict[int, int]:
    """Return query key → size of its largest pool, without passages that come only from withheld labels.

    ``queries``: keys of the queries to count, such as those on a page (default: all).
    """
    rows = PooledPassage.objects.filter(pool__collection=collection)
    if queries is not None:
        rows = rows.filter(query__in=queries)
    if sight.withheld:
        rows = rows.exclude(run_ids=[], pool__qrel_set__name__in=sight.withheld)
    most: dict[int, int] = defaultdict(int)
    counted = rows.values_list("query", "pool").annotate(Count("pk")).order_by()
    for query, _, number in counted:
        most[query] = max(most[query], number)
    return dict(most)


def _status_by_query(version: QrelVersion | None) -> dict[int, str]:
    return (
        dict(VersionQuery.objects.filter(version=version).values_list("query", "status")) if version else {}
    )


def _is_listed(show: str, key: int, qid: str, scored: RunValues | None, covered: Mapping[int, str]) -> bool:
    if show == "unanswered":
        values = scored.of_query(qid) if scored else None
        return values is not None and not any(value > 0 for value in values)
    if show == "open":
        return covered.get(key) == "open"
    return key not in covered if show == "unjudged" else True


def _sorted_queries(
    keys: list[tuple[int, str]], sort: str, scored: RunValues | None, pooled: Mapping[int, int]
) -> list[tuple[int, str]]:
    if sort == "disagreed":
        return sorted(keys, key=lambda one: -pooled.get(one[0], 0))
    if sort == "hardest" and scored:
        means = dict(zip(scored.labels.qids, scored.values.mean(axis=0).tolist(), strict=True))
        return sorted(keys, key=lambda one: means.get(one[1], 2.0))
    return sorted(keys, key=lambda one: one[1] not in scored.place) if scored else keys


def _query_rows(
    keys: Sequence[int],
    scored: RunValues | None,
    pooled: Mapping[int, int],
    version: QrelVersion | None,
    user: Any,
) -> list[QueryRow]:
    queries = Query.objects.in_bulk(keys)
    statuses: Mapping[int, VersionQuery] = {}
    best: Mapping[int, list[Passage]] = {}
    hidden: Mapping[int, int] = {}
    if version:
        statuses = {row.query_id: row for row in VersionQuery.objects.filter(version=version, query__in=keys)}
        best, hidden = best_answers(version, list(queries.values()), user)
    return [
        QueryRow(
            query=queries[key],
            values=scored.of_query(queries[key].qid) if scored else None,
            pooled=pooled.get(key, 0),
            status=statuses.get(key),
            best=best.get(key, []),
            hidden=hidden.get(key, 0),
        )
        for key in keys
    ]
