"""A map of all runs and queries that shows how well each run answers each query, the hardest queries first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from django.core.paginator import Page, Paginator

from config.errors import Refusal
from leaderboard.board.default_measure import MEASURE, USUAL
from leaderboard.output.heat_map import Overview, overview_of, shades
from leaderboard.scoring.chosen_runs import board_version
from leaderboard.scoring.labels import Labels
from pooling.models import Collection, Query, Run
from tournament.models import QrelVersion, VersionQuery
from web.common.label_sight import label_sight
from web.common.visibility import hidden_queries, listed_runs
from web.queries.pages import RunValues, leading_labels, run_values

QUERIES_A_PAGE = 50
RUNS_A_PAGE = 20
#: The value of ``measure`` in the address that shows ranks: reciprocals of ``MEASURE``.
RANK = "rank"
#: Measures offered besides ranks. Their values are from 0 to 1.
VALUES = tuple(name for name in USUAL if name != "RR@100")
ORDERS = {
    "": "hardest first",
    "easiest": "easiest first",
    "differing": "largest differences between runs first",
    "file": "as in the file",
}


@dataclass(frozen=True)
class Cell:
    """A run's value on a query, and the shade in which it is drawn."""

    value: float
    shade: int

    @property
    def rank(self) -> int | None:
        """The rank of the first relevant passage, for reciprocal ranks; None if it is below the depth."""
        return round(1 / self.value) if self.value > 0 else None


@dataclass(frozen=True)
class MapRow:
    query: Query
    judged: bool
    mean: float
    cells: list[Cell]


@dataclass(frozen=True)
class Marked:
    """The part of the overview that the table shows; its position and size are in blocks of the overview."""

    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True)
class QueryMap:
    """The chosen part of the map, and an overview of the whole map if the part is smaller."""

    scored: RunValues
    rows: list[MapRow]
    runs: Sequence[Run]
    page: Page[Any]
    run_page: Page[Any]
    overview: Overview | None
    marked: Marked | None


def map_page(collection: Collection, user: Any, parameters: Any) -> dict[str, Any]:
    measure, order = parameters.get("measure", ""), parameters.get("order", "")
    measure, order = measure if measure in VALUES else RANK, order if order in ORDERS else ""
    version = board_version(collection, None)
    labels = leading_labels(collection, version, user)
    hidden = hidden_queries(collection, user)
    drawn, refusal = None, None
    try:
        drawn = _drawn_map(collection, user, labels, version, measure, order, parameters) if labels else None
    except Refusal as refused:  # the measure is not defined under these labels
        refusal = refused
    return {
        "collection": collection,
        "version": version,
        "labels": labels,
        "withheld": labels is None and bool(label_sight(collection, user).withheld),
        "drawn": drawn,
        "refusal": refusal,
        "ranks": measure == RANK,
        "measure": measure,
        "measures": VALUES,
        "order": order,
        "orders": ORDERS,
        "hidden": len(hidden),
    }


def _drawn_map(
    collection: Collection,
    user: Any,
    labels: Labels,
    version: QrelVersion | None,
    measure: str,
    order: str,
    parameters: Any,
) -> QueryMap | None:
    name = MEASURE if measure == RANK else measure
    scored = run_values(collection, labels, list(listed_runs(collection, user)), name)
    if scored is None:
        return None
    hidden = hidden_queries(collection, user)
    seen = [column for column, qid in enumerate(labels.qids) if qid not in hidden]
    if not seen:
        return None
    columns = _ordered_columns(collection, scored, np.array(seen), order)
    page = Paginator(columns, QUERIES_A_PAGE).get_page(parameters.get("page"))
    run_page = Paginator(scored.runs, RUNS_A_PAGE).get_page(parameters.get("runs"))
    whole = page.paginator.num_pages == run_page.paginator.num_pages == 1
    overview = None if whole else overview_of(scored.values[:, columns].T)
    return QueryMap(
        scored=scored,
        rows=_map_rows(collection, scored, version, list(page.object_list), run_page),
        runs=list(run_page.object_list),
        page=page,
        run_page=run_page,
        overview=overview,
        marked=_shown_blocks(overview, page, run_page) if overview else None,
    )


def _ordered_columns(
    collection: Collection, scored: RunValues, columns: npt.NDArray[np.int64], order: str
) -> list[int]:
    """Return the columns of queries in the chosen order; ties are in the order of the query file."""
    positions = dict(Query.objects.filter(collection=collection).values_list("qid", "position"))
    places = np.array([positions.get(scored.labels.qids[column], 0) for column in columns])
    columns = columns[np.argsort(places, kind="stable")]
    if order == "file":
        return [int(column) for column in columns]
    values = np.nan_to_num(scored.values[:, columns])
    # Rounded, so that sums of equal values in another order are equal, too.
    key = np.round(values.std(axis=0) if order == "differing" else values.mean(axis=0), 12)
    ordered = np.argsort(key if order == "" else -key, kind="stable")
    return [int(column) for column in columns[ordered]]


def _map_rows(
    collection: Collection,
    scored: RunValues,
    version: QrelVersion | None,
    columns: Sequence[int],
    run_page: Page[Any],
) -> list[MapRow]:
    qids = [scored.labels.qids[column] for column in columns]
    queries = {query.qid: query for query in Query.objects.filter(collection=collection, qid__in=qids)}
    judged = set(
        VersionQuery.objects.filter(version=version, query__in=queries.values()).values_list(
            "query", flat=True
        )
    )
    first = run_page.start_index() - 1
    values = scored.values[first : first + len(run_page.object_list)][:, columns]
    shaded = shades(values)
    means = scored.values[:, columns].mean(axis=0)
    return [
        MapRow(
            query=queries[qid],
            judged=queries[qid].pk in judged,
            mean=float(means[at]),
            cells=[Cell(*pair) for pair in zip(values[:, at].tolist(), shaded[:, at].tolist(), strict=True)],
        )
        for at, qid in enumerate(qids)
        if qid in queries
    ]


def _shown_blocks(overview: Overview, page: Page[Any], run_page: Page[Any]) -> Marked:
    """Return the blocks of the overview that contain the rows and columns of the table."""
    top, bottom = _block_range(overview.row_starts, page)
    left, right = _block_range(overview.column_starts, run_page)
    return Marked(left, top, right - left, bottom - top)


def _block_range(starts: Sequence[int], page: Page[Any]) -> tuple[int, int]:
    first, last = page.start_index() - 1, page.end_index() - 1
    blocks = np.searchsorted(starts, [first, last], side="right") - 1
    return int(blocks[0]), int(blocks[1]) + 1
