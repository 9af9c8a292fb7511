"""Data of run pages: the list, and one run's coverage, ties, values and queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.core.paginator import Page, Paginator
from django.db.models import Case, F, Q, QuerySet, Value, When

from config import clock
from leaderboard.scoring.evaluation import Scored, evaluate, measure_for
from leaderboard.scoring.labels import Labels, qrel_set_labels, version_labels
from pooling.models import Collection, PoolRun, QrelSet, Query, Run
from pooling.ranking import Ranking
from pooling.services.members import may
from pooling.services.runs import ranking_of
from tournament.models import Challenge, QrelVersion
from tournament.services.withdrawing import what_rests_on
from web.common.visibility import as_shown, hidden_queries, listed_runs, sees_everything

RUNS_A_PAGE = 50
QUERIES_A_PAGE = 50
VERSIONS_OF_A_RUN = 5
MEASURES = ("RR@10", "nDCG@10", "P@10", "Success@10")
RUN_SORTS = ("run_tag", "team", "submitted_on", "created_at", "release", "report__queries", "report__depth")
SHOWN = {
    "": "all",
    "baseline": "baselines",
    "new": "neither pooled nor challenged",
    "warned": "with warnings",
}
QUERIES_SHOWN = {
    "": "all",
    "missing": "without results",
    "tied": "with a tie at the first place",
    "unanswered": "no relevant passage in the top 10",
}


@dataclass(frozen=True)
class RunValues:
    """A run's means under one set of labels, in the order of ``MEASURES``; None where undefined."""

    name: str
    version: QrelVersion | None
    queries: int
    answered: int
    missing: int
    means: list[float | None]


@dataclass(frozen=True)
class QueryLine:
    """A query of a run. ``values`` are in the order of the page's labels, None where they do not cover it."""

    query: Query
    top: str
    """Its first passage; empty if there is none or it is hidden."""
    passages: int
    tied: bool
    """Whether the first place is shared."""
    values: list[float | None]


def new_runs(collections: Sequence[Collection]) -> QuerySet[Run]:
    """Return the runs of these collections that are in no pool or challenge."""
    keys = [collection.pk for collection in collections]
    pooled = PoolRun.objects.filter(run__collection__in=keys).values("run")
    challenged = Challenge.objects.filter(campaign__collection__in=keys)
    named = [
        Q(collection=collection, run_tag__in=tags)
        for collection, tags in challenged.values_list("campaign__collection", "run_tags")
    ]
    rows = Run.objects.filter(collection__in=keys).exclude(pk__in=pooled)
    for one in named:
        rows = rows.exclude(one)
    return rows


def runs_page(collection: Collection, user: Any, parameters: Any) -> dict[str, Any]:
    """Return the collection's runs that the person can see, filtered and sorted as the address says."""
    sort = parameters.get("sort", "run_tag")
    if sort.removeprefix("-") not in RUN_SORTS:
        sort = "run_tag"
    everything = sees_everything(user, collection)
    runs = listed_runs(collection, user).order_by(*_order(sort, everything), "run_tag")
    if found := parameters.get("q", "").strip():
        # A search must not find a team under embargo.
        named = Q(run_tag__icontains=found)
        runs = runs.filter(named | Q(team__icontains=found) if everything else named)
    show = parameters.get("show", "")
    show = show if show in SHOWN else ""
    if show == "baseline":
        runs = runs.filter(baseline=True)
    elif show == "new":
        runs = runs.filter(pk__in=new_runs([collection]).values("pk"))
    elif show == "warned":
        runs = runs.exclude(Q(report__warnings=[]) | Q(report__warnings__isnull=True))
    page: Page[Run] = Paginator(runs, RUNS_A_PAGE).get_page(parameters.get("page"))
    page.object_list = [as_shown(run, everything) for run in page.object_list]
    return {
        "collection": collection,
        "queries": Query.objects.filter(collection=collection).count(),
        "page": page,
        "sort": sort,
        "found": found,
        "show": show,
        "filters": SHOWN,
        "may_send": may(user, "upload run", collection),
        "may_edit": may(user, "edit run", collection),
        "levels": Run.Release.values,
    }


def _order(sort: str, everything: bool) -> tuple[Any, ...]:
    """Sort runs under embargo together, so that their place does not reveal the team."""
    if sort.removeprefix("-") != "team" or everything:
        return (sort,)
    hidden = Case(When(anonymous_until__gt=clock.now().date(), then=Value("")), default=F("team"))
    return (hidden.desc() if sort.startswith("-") else hidden.asc(),)


def run_page(collection: Collection, run: Run, user: Any, parameters: Any) -> dict[str, Any]:
    """Return the data of a run's page."""
    hidden = hidden_queries(collection, user)
    everything = sees_everything(user, collection)
    labels = [
        qrel_set_labels(qrel_set)
        for qrel_set in QrelSet.objects.filter(collection=collection).order_by("name")
    ]
    versions = QrelVersion.objects.filter(collection=collection).order_by("-number")[:VERSIONS_OF_A_RUN]
    labels += [version_labels(version) for version in versions]
    shown = [one for one in (each.without(hidden) for each in labels) if one.qids]
    may_edit = may(user, "edit run", collection)
    return {
        "collection": collection,
        "run": as_shown(run, everything),
        "hidden": len(hidden),
        "sees_everything": everything,
        "warnings": run.report.get("warnings", []),
        "coverage": _coverage(collection, run, hidden),
        "measures": MEASURES,
        "values": [_values(collection, run, one) for one in shown],
        "may_edit": may_edit,
        "rests_on_it": what_rests_on(run) if may_edit else [],
        "levels": Run.Release.values,
        **_queries(collection, run, shown, hidden, everything, parameters),
    }


def _coverage(collection: Collection, run: Run, hidden: frozenset[str]) -> dict[str, Any]:
    """Return the run's coverage of the collection, without private queries."""
    unanswered = [qid for qid in run.report.get("unanswered", []) if qid not in hidden]
    queries = Query.objects.filter(collection=collection).count() - len(hidden)
    return {
        "queries": queries,
        "answered": max(0, queries - len(unanswered)),
        "share": max(0, queries - len(unanswered)) / queries if queries else None,
        "unanswered": len(unanswered),
    }


def _values(collection: Collection, run: Run, labels: Labels) -> RunValues:
    measures = [measure_for(name, labels) for name in MEASURES]
    found = evaluate(collection=collection, runs=[run], labels=labels, measures=measures)
    scored = [found[run.pk, measure.name] for measure in measures]
    return RunValues(
        name=labels.name,
        version=labels.version,
        queries=len(labels.qids),
        answered=scored[0].answered,
        missing=scored[0].missing,
        means=[None if one.mean != one.mean else one.mean for one in scored],
    )


def _queries(
    collection: Collection,
    run: Run,
    labels: Sequence[Labels],
    hidden: frozenset[str],
    everything: bool,
    parameters: Any,
) -> dict[str, Any]:
    """Return one page of the run's queries, with reciprocal ranks under the first qrel set and latest version."""
    show, found = parameters.get("show", ""), parameters.get("q", "").strip()
    show = show if show in QUERIES_SHOWN else ""
    ranking = ranking_of(run, 2)
    tops, lengths, tied = _tops(ranking)
    chosen = _chosen(labels)
    values = [_by_query(collection, run, one) for one in chosen]
    rows = Query.objects.filter(collection=collection).order_by("position", "pk")
    rows = rows.filter(Q(qid__icontains=found) | Q(text__icontains=found)) if found else rows
    wanted = [
        (key, qid)
        for key, qid in rows.values_list("pk", "qid")
        if qid not in hidden and _fits(show, qid, lengths, tied, values)
    ]
    page: Page[Any] = Paginator(wanted, QUERIES_A_PAGE).get_page(parameters.get("page"))
    queries = Query.objects.in_bulk([key for key, _ in page.object_list])
    pids_shown = everything or run.is_public
    page.object_list = [
        QueryLine(
            query=queries[key],
            top=tops.get(qid, "") if pids_shown else "",
            passages=lengths.get(qid, 0),
            tied=qid in tied,
            values=[of_query.get(qid) for of_query in values],
        )
        for key, qid in page.object_list
    ]
    return {
        "page": page,
        "labels": chosen,
        "show": show,
        "found": found,
        "filters": QUERIES_SHOWN,
        "pids_shown": pids_shown,
    }


def _chosen(labels: Sequence[Labels]) -> list[Labels]:
    sets = [one for one in labels if one.version is None]
    official = next((one for one in sets if one.name == "official"), None)
    latest = next((one for one in labels if one.version is not None), None)
    return [one for one in (official or next(iter(sets), None), latest) if one is not None]


def _tops(ranking: Ranking) -> tuple[dict[str, str], dict[str, int], set[str]]:
    """Return qid → first passage, qid → number of passages, and the qids with a tie at the top."""
    tops = {qid: pids[0] for qid, pids in ranking.tops(1).items() if pids}
    lengths = dict(zip(ranking.qids, ranking.lengths.tolist(), strict=True))
    if ranking.scores is None or ranking.depth < 2:
        return tops, lengths, set()
    # Queries are sorted by length, longest first, so those with a second passage come first.
    second = ranking.scores[int(ranking.offsets[1]) : int(ranking.offsets[2])]
    shared = np.flatnonzero(ranking.scores[: len(second)] == second)
    return tops, lengths, {ranking.qids[place] for place in shared.tolist()}


def _by_query(collection: Collection, run: Run, labels: Labels) -> dict[str, float]:
    measure = measure_for(MEASURES[0], labels)
    scored: Scored = evaluate(collection=collection, runs=[run], labels=labels, measures=[measure])[
        run.pk, measure.name
    ]
    return dict(zip(labels.qids, scored.values.tolist(), strict=True))


def _fits(
    show: str, qid: str, lengths: dict[str, int], tied: set[str], values: Sequence[dict[str, float]]
) -> bool:
    if show == "missing":
        return qid not in lengths
    if show == "tied":
        return qid in tied
    if show == "unanswered":
        return any(of_query.get(qid) == 0 for of_query in values)
    return True
