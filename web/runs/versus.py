"""Two runs head to head: a verdict, differences query by query, and both rankings of one query with their texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.core.paginator import Page, Paginator

from config.errors import Refusal
from leaderboard.analyses.compare.head_to_head import HeadToHead, head_to_head
from leaderboard.board.default_measure import MEASURES, default_measure
from leaderboard.errors import NothingToScore
from leaderboard.output import Interval
from leaderboard.scoring.chosen_runs import official_set
from leaderboard.scoring.evaluation import evaluate, measure_for
from leaderboard.scoring.labels import Labels, labels_named
from leaderboard.scoring.measure_names import parse_measure
from leaderboard.scoring.measures import Measure
from pooling.collections.lookups import why_not_scored
from pooling.collections.members import may
from pooling.models import Collection, QrelSet, Query, Run
from pooling.rules.run_details import DOCUMENT, task_of
from pooling.storage.ranking_files import ranking_of
from tournament.models import QrelVersion
from web.boards.board_choices import Wish
from web.boards.pages import published_board
from web.common.label_sight import LabelSight, label_sight
from web.common.visibility import (
    as_shown,
    hidden_queries,
    hides_texts,
    listed_runs,
    own_team,
    sees_everything,
    texts_of_ranked,
)

QUERIES_A_PAGE = 50
#: The number of runs that are picked on the board for a comparison.
MOST_PICKED = 2
PASSAGES_SHOWN = 5
#: With more queries, each bar stands for several neighbors in the order of their differences.
MOST_BARS = 240
SORTS = {
    "": "largest differences first",
    "b": "where B gains most",
    "a": "where A gains most",
    "file": "as in the file",
}


@dataclass(frozen=True)
class QueryDifference:
    """A query with the values of both runs. A value is None if the run has none."""

    query: Query
    a: float | None
    b: float | None
    sign: int
    """1 for B minus A, -1 for A minus B."""

    @property
    def difference(self) -> float | None:
        """The difference in the direction that the whole page uses: B minus A, or A minus B."""
        return None if self.a is None or self.b is None else self.sign * (self.b - self.a)


@dataclass(frozen=True)
class Ranked:
    """A passage in a ranking; ``text`` is empty if the text is missing or hidden from this person."""

    rank: int
    pid: str
    text: str
    relevant: bool
    in_other: bool


def versus_page(collection: Collection, user: Any, parameters: Any) -> dict[str, Any]:
    """Return the data of the page; ``refusal`` replaces the results if the choices allow no comparison."""
    runs = {run.run_tag: run for run in listed_runs(collection, user)}
    labels = _label_names(collection, label_sight(collection, user))
    asked = {
        "labels": parameters.get("labels", "") or next(iter(labels), ""),
        "measure": parameters.get("measure", "").strip()[:100] or default_measure(collection),
        "sort": parameters.get("sort", ""),
    }
    first, second = _compared_tags(collection, user, runs, parameters)
    context: dict[str, Any] = {
        "collection": collection,
        "runs": list(runs),
        "label_names": labels,
        "measures": MEASURES,
        "sorts": SORTS,
        "asked": asked,
        "a": first,
        "b": second,
    }
    try:
        _check_number_picked(parameters)
        return context | _comparison(collection, user, runs, first, second, asked, parameters)
    except Refusal as refusal:
        return context | {"refusal": refusal}


def _label_names(collection: Collection, sight: LabelSight) -> dict[str, str]:
    """Return name → title of the labels whose per-query values are shown, the latest version first."""
    versions = QrelVersion.objects.filter(collection=collection).order_by("-number")
    sets = QrelSet.objects.filter(collection=collection).order_by("pk")
    found = {
        f"@{number}": f"preference, version {number}" for number in versions.values_list("number", flat=True)
    }
    found |= {name: f"{name} qrels" for name in sets.values_list("name", flat=True)}
    return {name: words for name, words in found.items() if sight.shows_queries(name)}


def _compared_tags(
    collection: Collection, user: Any, runs: Mapping[str, Run], parameters: Any
) -> tuple[str, str]:
    """Return the tags in the address, or the first two runs of the board."""
    picked = [*_picked_tags(parameters), "", ""]
    a, b = parameters.get("a", "") or picked[0], parameters.get("b", "") or picked[1]
    if a and b:
        return a, b
    try:
        rows = published_board(collection, Wish(), user).board.rows
        ordered = [row.run for row in rows if not row.perfect]
    except Refusal:
        ordered = list(runs)
    others = iter([tag for tag in ordered if tag not in (a, b)])
    b = b or next(others, "")
    return a or next(others, ""), b


def _picked_tags(parameters: Any) -> list[str]:
    """Return the runs picked on the board, each once."""
    return list(dict.fromkeys(parameters.getlist("run"))) if hasattr(parameters, "getlist") else []


def _check_number_picked(parameters: Any) -> None:
    """Raise NothingToScore if more than two runs are picked, because the page compares only two."""
    picked = _picked_tags(parameters)
    if len(picked) > MOST_PICKED:
        raise NothingToScore(
            f"{len(picked)} runs are chosen, but this page compares two.", "Choose Run A and Run B above."
        )


def _comparison(
    collection: Collection,
    user: Any,
    runs: Mapping[str, Run],
    a: str,
    b: str,
    asked: Mapping[str, str],
    parameters: Any,
) -> dict[str, Any]:
    if len(runs) < 2:
        raise NothingToScore(
            f"{collection.name} has fewer than two runs to compare.", "Upload more runs first."
        )
    missing = [tag for tag in (a, b) if tag not in runs]
    if missing:
        raise NothingToScore(f"There is no run {missing[0]!r} here.", "Choose two runs from the list.")
    sight = label_sight(collection, user)
    name = asked["labels"] or official_set(collection).name
    _require_one_kind(collection, runs, a, b, name)
    sight.require_queries(name)
    labels = labels_named(collection, name)
    measure = measure_for(asked["measure"], labels)
    values = _values_of_both(
        collection, [runs[a], runs[b]], labels, measure, hidden_queries(collection, user)
    )
    found = head_to_head(
        np.array([pair[0] for pair in values.values()]),
        np.array([pair[1] for pair in values.values()]),
        higher_is_better=measure.higher_is_better,
    )
    everything, team = sees_everything(user, collection), own_team(user, collection)
    page: Page[Any] = Paginator(_qids_in_order(values, asked["sort"]), QUERIES_A_PAGE).get_page(
        parameters.get("page")
    )
    # The same sign on the whole page: the higher mean minus the lower one.
    sign = -1 if found.difference < 0 else 1
    page.object_list = _difference_lines(collection, list(page.object_list), values, sign)
    return {
        "measure": measure,
        "found": found,
        "of": "AB" if sign < 0 else "BA",
        "difference": Interval(sign * found.difference, *sorted((sign * found.low, sign * found.high))),
        "verdict": verdict_words(a, b, found, parse_measure(asked["measure"]).mean_name),
        "bars": _difference_bars(values, sign),
        "page": page,
        "run_a": as_shown(runs[a], everything, team),
        "run_b": as_shown(runs[b], everything, team),
        "version": labels.version,
        **_opened_query(
            collection,
            labels if sight.shows_labels(name) else None,
            runs[a],
            runs[b],
            values,
            user,
            parameters.get("query", ""),
        ),
    }


def _require_one_kind(collection: Collection, runs: Mapping[str, Run], a: str, b: str, labels: str) -> None:
    """Raise NothingToScore unless the labels apply to what both runs retrieve: passages or documents."""
    of_documents = [tag for tag in (a, b) if task_of(runs[tag].details) == DOCUMENT]
    if len(of_documents) == 1:
        other = a if of_documents == [b] else b
        raise NothingToScore(
            f"{of_documents[0]} retrieves documents and {other} passages, so no labels apply to both.",
            "Choose two runs of the same kind.",
        )
    if why := why_not_scored(runs[a], collection.qrel_sets.filter(name=labels).first(), runs.values()):
        raise NothingToScore(why, "Choose other labels above.")


def _values_of_both(
    collection: Collection, pair: Sequence[Run], labels: Labels, measure: Measure, hidden: frozenset[str]
) -> dict[str, tuple[float, float]]:
    """Return qid → the values of both runs, for the queries that the labels cover and the person can see."""
    scored = evaluate(collection=collection, runs=pair, labels=labels, measures=[measure])
    columns = [scored[run.pk, measure.name].values.tolist() for run in pair]
    rows = zip(labels.qids, labels.answerable, *columns, strict=True)
    return {qid: (first, second) for qid, known, first, second in rows if known and qid not in hidden}


def verdict_words(a: str, b: str, found: HeadToHead, name: str) -> str:
    """Return the result in a sentence; ``name`` is the name of the mean, as on the leaderboard."""
    if not found.queries:
        return f"No query has a value of {name} for both runs."
    if found.a_wins == found.b_wins == 0:
        return f"{a} and {b} have the same {name} on every query."
    size = f"{abs(found.difference):.4f}"
    ahead, behind = (b, a) if (found.difference > 0) == found.higher_is_better else (a, b)
    if found.better:
        return f"{ahead} is better than {behind} by {size} {name}."
    if size == f"{0:.4f}":
        return f"{found.queries:,} queries do not tell them apart: both have the same {name}."
    return f"{found.queries:,} queries do not tell them apart: {ahead} leads by {size} {name}, which may be chance."


def _qids_in_order(values: Mapping[str, tuple[float, float]], sort: str) -> list[str]:
    gains = {qid: 0.0 if a != a or b != b else b - a for qid, (a, b) in values.items()}
    orders = {
        "a": lambda qid: gains[qid],
        "b": lambda qid: -gains[qid],
        "file": lambda _: 0.0,
    }
    return sorted(values, key=orders.get(sort, lambda qid: -abs(gains[qid])))


def _difference_lines(
    collection: Collection, qids: Sequence[str], values: Mapping[str, tuple[float, float]], sign: int
) -> list[QueryDifference]:
    queries = {one.qid: one for one in Query.objects.filter(collection=collection, qid__in=qids)}

    def there(value: float) -> float | None:
        return None if value != value else value

    return [
        QueryDifference(queries[qid], there(a), there(b), sign)
        for qid, (a, b) in ((q, values[q]) for q in qids)
    ]


def _difference_bars(values: Mapping[str, tuple[float, float]], sign: int) -> list[float]:
    """Return the differences, highest first, relative to the largest absolute one.

    With more than ``MOST_BARS`` queries, each value is the mean of neighboring differences.
    """
    gains = np.sort([sign * (b - a) for a, b in values.values() if a == a and b == b])[::-1]
    if not len(gains):
        return []
    parts = np.array_split(gains, min(len(gains), MOST_BARS))
    heights = np.array([part.mean() for part in parts])
    scaled: list[float] = (heights / max(float(np.abs(heights).max()), 1e-9)).tolist()
    return scaled


def _opened_query(
    collection: Collection,
    labels: Labels | None,
    a: Run,
    b: Run,
    values: Mapping[str, tuple[float, float]],
    user: Any,
    qid: str,
) -> dict[str, Any]:
    """Return both runs' rankings of the opened query; empty unless ``values`` contains the query.

    Without ``labels``, no passage is marked as relevant.
    """
    if qid not in values:
        return {}
    lists = [ranking_of(run, PASSAGES_SHOWN).tops(PASSAGES_SHOWN).get(qid, ()) for run in (a, b)]
    texts = texts_of_ranked(collection, {pid for pids in lists for pid in pids}, user)
    relevant = labels.relevant_pids().get(qid, set()) if labels else set()
    everything = sees_everything(user, collection)
    sides: list[dict[str, Any]] = []
    for run, pids, others in ((a, lists[0], lists[1]), (b, lists[1], lists[0])):
        shown = everything or run.is_public
        sides.append(
            {
                "run": run.run_tag,
                "shown": shown,
                "passages": [
                    Ranked(rank, pid, texts.get(pid, ""), pid in relevant, pid in others)
                    for rank, pid in enumerate(pids, 1)
                ]
                if shown
                else [],
            }
        )
    return {
        "opened": Query.objects.get(collection=collection, qid=qid),
        "sides": sides,
        "without_text": any(not one.text for side in sides for one in side["passages"]),
        "may_fetch": may(user, "add files", collection),
        "passage_files": collection.sources.exists(),
        "texts_hidden": hides_texts(collection, user),
    }
