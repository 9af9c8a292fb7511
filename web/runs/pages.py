"""Data of run pages: the list, and one run's coverage, ties, values and queries."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import TruncDay
from django.urls import reverse

from config import clock
from config.errors import Refusal
from leaderboard.board.boards import PublishedBoard
from leaderboard.board.default_measure import default_measure
from leaderboard.board.standings import BoardRow
from leaderboard.output.numbers import Rounded
from leaderboard.scoring.evaluation import evaluate, measure_for
from leaderboard.scoring.labels import Labels, qrel_set_labels, version_labels
from pooling.collections.lookups import why_not_scored
from pooling.collections.members import may
from pooling.models import Collection, PoolRun, QrelSet, Query, Run
from pooling.rules.run_details import Detail, value_in_words
from pooling.runs.run_descriptions import opened_further
from pooling.teams.run_fields import known_details
from tournament.models import Challenge, QrelVersion
from web.boards.board_choices import Wish
from web.boards.citations import bibtex_entry
from web.boards.pages import published_board
from web.common.column_sort import sort_by_column
from web.common.label_sight import LabelSight, label_sight
from web.common.visibility import (
    as_shown,
    hidden_queries,
    listed_runs,
    opened_runs,
    own_team,
    sees_everything,
    without_private,
)
from web.errors import BoardBeingDrawn
from web.runs.run_queries import run_queries

RUNS_A_PAGE = 50
VERSIONS_OF_A_RUN = 5
MEASURES = ("RR@10", "nDCG@10", "P@10", "Success@10")
RUN_SORTS = ("run_tag", "team", "submitted_on", "created_at", "release", "report__queries", "report__depth")
#: Column of the board → sort key of its rows. As on the board, a minus before the name puts the best run first.
BOARD_SORTS: dict[str, Callable[[BoardRow], int | None]] = {
    "rank": lambda row: -row.leading.rank,
    "preference": lambda row: -row.preference.rank if row.preference else None,
    "official": lambda row: -row.official.rank,
}
SHOWN = {
    "": "all",
    "baseline": "baselines",
    "new": "in no pool or challenge",
    "warned": "with warnings",
}


@dataclass(frozen=True)
class RunValues:
    """A run's means under one set of labels, one for each measure shown; None where undefined."""

    name: str
    version: QrelVersion | None
    queries: int
    answered: int | None
    missing: int
    means: list[float | None]
    refused: str = ""
    """Why these labels do not apply to the run; it then has no values."""


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
    """Return the collection's runs that the person can see, filtered and sorted as the URL requests."""
    board, drawing = _board_or_none(collection, user)
    rows = {row.run: row for row in board.board.rows if not row.perfect} if board else {}
    sort = parameters.get("sort", "run_tag")
    if sort.removeprefix("-") not in (*RUN_SORTS, *(BOARD_SORTS if board else ())):
        sort = "run_tag"
    by_board = BOARD_SORTS.get(sort.removeprefix("-"))
    everything = sees_everything(user, collection)
    team = own_team(user, collection)
    runs = opened_runs(collection, user).order_by(
        *_team_safe_order("run_tag" if by_board else sort, everything), "run_tag"
    )
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
    keys = _keys_by_board(runs, sort, by_board, rows) if by_board else runs.values_list("pk", flat=True)
    page: Page[Any] = Paginator(keys, RUNS_A_PAGE).get_page(parameters.get("page"))
    found_runs = runs.in_bulk(list(page.object_list))
    page.object_list = [as_shown(found_runs[key], everything, team) for key in page.object_list]
    return {
        "collection": collection,
        "queries": Query.objects.filter(collection=collection).count(),
        "page": page,
        "board": board,
        "drawing": drawing,
        "lines": [(run, rows.get(run.run_tag)) for run in page.object_list],
        "sort": sort,
        "found": found,
        "show": show,
        "filters": SHOWN,
        "may_send": may(user, "submit run", collection),
        "may_edit": may(user, "edit run", collection),
        "levels": Run.Release.values,
    }


def _keys_by_board(
    runs: QuerySet[Run],
    sort: str,
    value: Callable[[BoardRow], int | None],
    rows: Mapping[str, BoardRow],
) -> list[int]:
    """Return the runs' keys, sorted by a column of the board; runs that are not ranked come last."""

    def of_run(one: tuple[int, str]) -> int | None:
        return value(rows[one[1]]) if one[1] in rows else None

    listed = list(runs.values_list("pk", "run_tag"))
    return [key for key, _ in sort_by_column(listed, sort, {sort.removeprefix("-"): of_run})]


def _board_or_none(collection: Collection, user: Any) -> tuple[PublishedBoard | None, bool]:
    """Return the latest board or None, for the values beside the runs, and whether a job is computing it."""
    try:
        return published_board(collection, Wish(), user), False
    except BoardBeingDrawn:
        return None, True
    except Refusal:
        return None, False


def _team_safe_order(sort: str, everything: bool) -> tuple[Any, ...]:
    """Return the sort order. Runs under embargo are sorted by what is shown, so that the order reveals no team."""
    column = sort.removeprefix("-")
    shown = {"team": Value(""), "created_at": TruncDay("created_at")}
    if everything or column not in shown:
        return (sort,)
    hidden = Case(When(anonymous_until__gt=clock.now().date(), then=shown[column]), default=F(column))
    return (hidden.desc() if sort.startswith("-") else hidden.asc(),)


def run_page(collection: Collection, run: Run, user: Any, parameters: Any) -> dict[str, Any]:
    """Return the data of a run's page. A team sees no values of its unreleased run unless the policy allows it."""
    hidden = hidden_queries(collection, user)
    everything, team = sees_everything(user, collection), own_team(user, collection)
    valued = listed_runs(collection, user).filter(pk=run.pk).exists()
    sets = {one.name: one for one in QrelSet.objects.filter(collection=collection).order_by("name")}
    labels = [qrel_set_labels(qrel_set) for qrel_set in sets.values()]
    versions = QrelVersion.objects.filter(collection=collection).order_by("-number")[:VERSIONS_OF_A_RUN]
    labels += [version_labels(version) for version in versions]
    shown = [one for one in (each.without(hidden) for each in labels) if one.qids] if valued else []
    beside = listed_runs(collection, user).only("run_tag", "details", "collection_id")
    refused = {one.name: why_not_scored(run, sets.get(one.name), beside) for one in shown}
    sight = label_sight(collection, user)
    may_edit = may(user, "edit run", collection)
    own = bool(team) and run.team == team
    return {
        "collection": collection,
        "run": (as_seen := as_shown(run, everything, team)),
        "hidden": len(hidden),
        "sees_everything": everything,
        "valued": valued,
        "comparable": valued and listed_runs(collection, user).exclude(pk=run.pk).exists(),
        "warnings": without_private(run.report, hidden).get("warnings", []),
        "coverage": _query_coverage(collection, run, hidden),
        "measures": (measures := _shown_measures(collection)),
        "details": shown_details(collection, run),
        "values": [
            RunValues(one.name, one.version, 0, None, 0, [], refused[one.name])
            if refused[one.name]
            else _mean_values(collection, run, one, sight, measures)
            for one in sorted(shown, key=lambda one: one.version is None)
        ],
        "withheld": sight.withheld_sets,
        "may_edit": may_edit,
        "may_fetch": may(user, "add files", collection),
        "passage_files": collection.sources.exists(),
        "may_describe": may_edit or own,
        "levels": Run.Release.values if may_edit else opened_further(run),
        "link": (link := f"{settings.PUBLIC_URL}{reverse('web:run', args=[collection.name, run.pk])}"),
        "bibtex": _run_bibtex(collection, as_seen, link),
        **run_queries(
            collection,
            run,
            [one for one in shown if sight.shows_queries(one.name) and not refused[one.name]],
            hidden,
            user,
            parameters,
            pids_shown=everything or own or run.is_public,
            judged_shown=not sight.withheld,
        ),
    }


def _run_bibtex(collection: Collection, run: Run, link: str) -> str:
    whose = f" by {run.team}" if run.team else ""
    return bibtex_entry(
        key=f"{collection.name}-{run.run_tag}",
        title=f"Run {run.run_tag}{whose}, {collection.title or collection.name}",
        year=(run.submitted_on or run.created_at).year,
        address=link,
        note=f"Run file SHA-256 {run.shown_sha256}" if run.shown_sha256 else "",
    )


def shown_details(collection: Collection, run: Run) -> list[tuple[Detail, str]]:
    """Return the run's structured details, in words."""
    known = known_details(collection)
    return [
        (one, value_in_words(one, run.details[name])) for name, one in known.items() if name in run.details
    ]


def _query_coverage(collection: Collection, run: Run, hidden: frozenset[str]) -> dict[str, Any]:
    """Return the run's coverage of the collection, without private queries."""
    unanswered = [qid for qid in run.report.get("unanswered", []) if qid not in hidden]
    queries = Query.objects.filter(collection=collection).count() - len(hidden)
    return {
        "queries": queries,
        "answered": max(0, queries - len(unanswered)),
        "share": max(0, queries - len(unanswered)) / queries if queries else None,
        "unanswered": len(unanswered),
    }


def _shown_measures(collection: Collection) -> list[str]:
    """Return the measures of a run's page, the leaderboard's default first."""
    first = default_measure(collection)
    return [first, *(name for name in MEASURES if name != first)]


def _mean_values(
    collection: Collection, run: Run, labels: Labels, sight: LabelSight, names: Sequence[str]
) -> RunValues:
    """Return the run's means. If only rounded means are shown, the number of answered queries is left out."""
    measures = [measure_for(name, labels) for name in names]
    decimals = sight.decimals(withheld=not sight.shows_labels(labels.name), queries=len(labels.qids))
    found = evaluate(collection=collection, runs=[run], labels=labels, measures=measures)
    scored = [found[run.pk, measure.name] for measure in measures]
    return RunValues(
        name=labels.name,
        version=labels.version,
        queries=len(labels.qids),
        answered=scored[0].answered if decimals is None else None,
        missing=scored[0].missing,
        means=[_published_mean(one.mean, decimals) for one in scored],
    )


def _published_mean(mean: float, decimals: int | None) -> float | None:
    """Return the mean rounded to ``decimals``; None if it is undefined."""
    if math.isnan(mean):
        return None
    return mean if decimals is None else Rounded.of(mean, decimals)
