"""A run query by query: its value, the rank of the best answer, and its top passage with the text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.core.paginator import Page, Paginator
from django.db.models import Q

from config import kept_objects
from leaderboard.board.default_measure import MEASURE, default_measure
from leaderboard.board.judged_tops import judged_tops
from leaderboard.errors import UnknownMeasure
from leaderboard.scoring.evaluation import evaluate, measure_for
from leaderboard.scoring.labels import Labels
from pooling.files.ranking import Ranking
from pooling.models import Collection, Passage, Query, Run
from pooling.storage.ranking_files import ranking_of
from web.common.visibility import texts_of_ranked
from web.queries.best_answers import answers_by_query

QUERIES_A_PAGE = 50
KEPT_SECONDS = 3600
#: How many best answers a row shows; a qrel set can have a hundred relevant passages for a query.
ANSWERS_SHOWN = 2
#: ``good``: a best answer of a version, or a relevant passage.
SHOWN = {
    "": "all",
    "won": "{good} on top",
    "lost": "another passage on top",
    "unanswered": "no relevant passage in the top 10",
    "unjudged": "top passage not judged",
    "missing": "without results",
    "tied": "with a tie at rank 1",
}
#: Filters by values, ranks or judgments. They need labels that this person can see.
OF_LABELS = {"won", "lost", "unanswered", "unjudged"}
SORTS = {
    "": "labeled first",
    "value": "lowest value first",
    "-value": "highest value first",
    "-rank": "worst rank of the {good} first",
}


@dataclass(frozen=True)
class QueryLine:
    """A query of a run. ``values`` are in the order of the page's labels; None if labels do not cover the query."""

    query: Query
    top: str
    """The pid of the run's first passage; empty if there is none or it is hidden."""
    text: str
    passages: int
    tied: bool
    """Whether several passages tie for the first place."""
    values: list[float | None]
    rank: int | None
    """The rank of the first best answer under the last labels; None if the run does not have it."""
    covered: bool
    """Whether the last labels cover the query."""
    judged: bool | None
    """Whether the top passage was judged; None without a version."""
    best: Sequence[Passage] = ()
    """The best answers under the last labels, as far as this person can see them."""


@dataclass(frozen=True)
class _RunFigures:
    """Facts about a run's queries, by qid."""

    tops: dict[str, str]
    lengths: dict[str, int]
    tied: set[str]
    values: list[dict[str, float]]
    """For each set of labels: qid → value of the board's measure."""
    reciprocals: list[dict[str, float]]
    """For each set of labels: qid → value of ``MEASURE``, which tells whether a relevant passage is in the top 10."""
    ranks: dict[str, int]
    judged: dict[str, bool]

    def value(self, qid: str) -> float | None:
        """Return the query's value under the last of the page's labels; None if they do not cover it."""
        return self.values[-1].get(qid) if self.values else None

    def fits(self, show: str, qid: str) -> bool:
        tests: dict[str, Callable[[], bool]] = {
            "won": lambda: self.ranks.get(qid) == 1,
            "lost": lambda: self.value(qid) is not None and self.ranks.get(qid) != 1,
            "unanswered": lambda: any(of_query.get(qid) == 0 for of_query in self.reciprocals),
            "unjudged": lambda: self.judged.get(qid) is False,
            "missing": lambda: qid not in self.lengths,
            "tied": lambda: qid in self.tied,
        }
        return tests[show]() if show else True


def run_queries(
    collection: Collection,
    run: Run,
    labels: Sequence[Labels],
    hidden: frozenset[str],
    user: Any,
    parameters: Any,
    *,
    pids_shown: bool,
    judged_shown: bool = True,
) -> dict[str, Any]:
    """Return one page of the run's queries, with values under the default labels and the latest version.

    ``judged_shown``: whether to show which top passages were judged; this could reveal a withheld label.
    """
    show, found, sort = (parameters.get(name, "").strip() for name in ("show", "q", "sort"))
    show, sort = show if show in SHOWN else "", sort if sort in SORTS else ""
    chosen = _labels_compared(collection, labels)
    measure = _board_measure(collection, chosen)
    facts = _figures_of_run(collection, run, chosen, measure, judged_shown)
    good = "best answer" if chosen and chosen[-1].version else "relevant passage"
    useless = set() if chosen else OF_LABELS
    useless |= set() if judged_shown else {"unjudged"}
    rows = Query.objects.filter(collection=collection).order_by("position", "pk")
    rows = rows.filter(Q(qid__icontains=found) | Q(text__icontains=found)) if found else rows
    wanted = [
        (key, qid)
        for key, qid in rows.values_list("pk", "qid")
        if qid not in hidden and facts.fits(show, qid)
    ]
    page: Page[Any] = Paginator(_in_chosen_order(wanted, sort, facts), QUERIES_A_PAGE).get_page(
        parameters.get("page")
    )
    page.object_list = _query_lines(
        collection, [key for key, _ in page.object_list], facts, chosen[-1:], pids_shown, user
    )
    return {
        "page": page,
        "without_text": sum(bool(line.top and not line.text) for line in page),
        "labels": chosen,
        "measure": measure,
        "show": show,
        "sort": sort,
        "found": found,
        "filters": {name: words.format(good=good) for name, words in SHOWN.items() if name not in useless},
        "sorts": {name: words.format(good=good) for name, words in SORTS.items()} if chosen else {},
        "pids_shown": pids_shown,
    }


def _labels_compared(collection: Collection, labels: Sequence[Labels]) -> list[Labels]:
    default, sets = collection.default_labels(), [one for one in labels if one.version is None]
    official = next((one for one in sets if default and one.name == default.name), None)
    latest = next((one for one in labels if one.version is not None), None)
    return [one for one in (official or next(iter(sets), None), latest) if one is not None]


def _board_measure(collection: Collection, chosen: Sequence[Labels]) -> str:
    """Return the board's default measure, or reciprocal ranks if any of these labels do not define it."""
    measure = default_measure(collection)
    try:
        for labels in chosen:
            measure_for(measure, labels)
    except UnknownMeasure:
        return MEASURE
    return measure


def _figures_of_run(
    collection: Collection, run: Run, chosen: Sequence[Labels], measure: str, judged_shown: bool
) -> _RunFigures:
    tops, lengths, tied = _top_passages(ranking_of(run, 2))
    reciprocals = [_values_by_query(collection, run, labels, MEASURE) for labels in chosen]
    values = [_values_by_query(collection, run, labels, measure) for labels in chosen]
    ranks = _values_by_query(collection, run, chosen[-1], "ESL") if chosen else {}
    return _RunFigures(
        tops=tops,
        lengths=lengths,
        tied=tied,
        values=values,
        reciprocals=reciprocals,
        ranks={qid: int(rank) for qid, rank in ranks.items() if rank == rank},
        judged=_judged_by_query(run, chosen[-1]) if chosen and judged_shown else {},
    )


def _top_passages(ranking: Ranking) -> tuple[dict[str, str], dict[str, int], set[str]]:
    """Return qid → first passage, qid → number of passages, and the qids with a tie at the top."""
    tops = {qid: pids[0] for qid, pids in ranking.tops(1).items() if pids}
    lengths = dict(zip(ranking.qids, ranking.lengths.tolist(), strict=True))
    if ranking.scores is None or ranking.depth < 2:
        return tops, lengths, set()
    # Queries are sorted by the length of their ranking, longest first: queries with a second passage come first.
    second = ranking.scores[int(ranking.offsets[1]) : int(ranking.offsets[2])]
    shared = np.flatnonzero(ranking.scores[: len(second)] == second)
    return tops, lengths, {ranking.qids[place] for place in shared.tolist()}


def _values_by_query(collection: Collection, run: Run, labels: Labels, name: str) -> dict[str, float]:
    measure = measure_for(name, labels)
    scored = evaluate(collection=collection, runs=[run], labels=labels, measures=[measure])
    return dict(zip(labels.qids, scored[run.pk, measure.name].values.tolist(), strict=True))


def _judged_by_query(run: Run, labels: Labels) -> dict[str, bool]:
    """Return qid → whether the run's top passage was judged for the version, cached for a while."""
    version = labels.version
    if version is None:
        return {}
    key = kept_objects.object_key("judged-tops", version.manifest_sha256, run.pk)
    kept: dict[str, bool] | None = kept_objects.kept(key)
    if kept is None:
        judged = judged_tops(version, [run], labels.qids, {})[0]
        kept = dict(zip(labels.qids, (judged > 0).tolist(), strict=True))
        kept_objects.keep_object(key, kept, KEPT_SECONDS)
    return kept


def _in_chosen_order(wanted: list[tuple[int, str]], sort: str, facts: _RunFigures) -> list[tuple[int, str]]:
    nowhere = 10**9

    def value(one: tuple[int, str]) -> float:
        found = facts.value(one[1])
        return float("inf") if found is None else (found if sort == "value" else -found)

    if sort.endswith("value"):
        return sorted(wanted, key=value)
    if sort == "-rank":
        known = [one for one in wanted if facts.value(one[1]) is not None]
        return sorted(known, key=lambda one: -facts.ranks.get(one[1], nowhere))
    return sorted(wanted, key=lambda one: facts.value(one[1]) is None)


def _query_lines(
    collection: Collection,
    keys: Sequence[int],
    facts: _RunFigures,
    last: Sequence[Labels],
    pids_shown: bool,
    user: Any,
) -> list[QueryLine]:
    queries = Query.objects.in_bulk(keys)
    best = answers_by_query(collection, last[0], list(queries.values()), user) if last else {}
    tops = {query.qid: facts.tops.get(query.qid, "") for query in queries.values()} if pids_shown else {}
    texts = texts_of_ranked(collection, {pid for pid in tops.values() if pid}, user)
    return [
        QueryLine(
            query=query,
            top=tops.get(query.qid, ""),
            text=texts.get(tops.get(query.qid, ""), ""),
            passages=facts.lengths.get(query.qid, 0),
            tied=query.qid in facts.tied,
            values=[of_query.get(query.qid) for of_query in facts.values],
            rank=facts.ranks.get(query.qid),
            covered=facts.value(query.qid) is not None,
            judged=facts.judged.get(query.qid),
            best=best.get(query.pk, ())[:ANSWERS_SHOWN],
        )
        for query in (queries[key] for key in keys)
    ]
