"""Where runs rank the passages of one query: the top runs of the board, to a small depth."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from config.errors import Refusal
from pooling.files.wanted_ranks import Wanted, find_wanted
from pooling.models import Collection, Query, Run
from pooling.storage.ranking_files import ranking_of
from web.boards.board_choices import Wish
from web.boards.pages import published_board
from web.common.visibility import listed_runs, sees_everything

RUNS_SHOWN = 20
DEPTH = 10


@dataclass(frozen=True)
class RunRanks:
    """A run's ranks of the page's passages, in the page's order; None for a passage below the depth."""

    run: Run
    ranks: list[int | None]
    good_first: int | None
    """Position of the passage at rank 1, if it is a best answer or relevant."""


@dataclass(frozen=True)
class RankTable:
    """The ranks in the board's top runs, or in the first runs by name while there is no board.

    ``left_out``: number of further runs. ``letters``: letters of the passages that a shown run ranks. ``unranked``:
    number of other passages.
    """

    letters: list[str]
    rows: list[RunRanks]
    left_out: int
    unranked: int
    in_board_order: bool
    depth: int = DEPTH


def rank_table(
    collection: Collection,
    query: Query,
    passages: Sequence[tuple[str, str]],
    good: Container[str],
    user: Any,
    *,
    version: int | None = None,
) -> RankTable | None:
    """Return the ranks of these passages, each (letter, pid), in runs.

    None if the person may see no run's passages, or if ``passages`` is empty. ``good``: letters of the passages that
    are highlighted at rank 1. Runs are in the order of this version's board, or of the collection's latest board.
    """
    runs = _with_passages(collection, user)
    if not runs or not passages:
        return None
    ordered, in_board_order = _in_board_order(collection, version, runs, user)
    shown = ordered[:RUNS_SHOWN]
    pids = tuple(pid for _, pid in passages)
    wanted = Wanted((query.qid,), np.zeros(len(pids), dtype=np.int64), pids)
    ranks = [_ranks_in_run(run, wanted) for run in shown]
    ranked = [place for place in range(len(pids)) if any(row[place] for row in ranks)]
    letters = [passages[place][0] for place in ranked]
    rows = [
        _run_ranks(run, [row[place] for place in ranked], letters, good)
        for run, row in zip(shown, ranks, strict=True)
    ]
    return RankTable(letters, rows, len(runs) - len(shown), len(pids) - len(ranked), in_board_order)


def shown_runs(collection: Collection, user: Any) -> list[Run]:
    """Return the runs of a rank table: the first runs of the collection's latest board."""
    return _in_board_order(collection, None, _with_passages(collection, user), user)[0][:RUNS_SHOWN]


def _with_passages(collection: Collection, user: Any) -> list[Run]:
    """Return the runs whose passages the person can see. Only members see passages of runs released as scores."""
    everything = sees_everything(user, collection)
    return [run for run in listed_runs(collection, user) if everything or run.is_public]


def _run_ranks(run: Run, ranks: list[int | None], letters: Sequence[str], good: Container[str]) -> RunRanks:
    first = ranks.index(1) if 1 in ranks else None
    return RunRanks(run, ranks, first if first is not None and letters[first] in good else None)


def _ranks_in_run(run: Run, wanted: Wanted) -> list[int | None]:
    found = find_wanted(ranking_of(run, DEPTH), wanted).rank
    return [rank if 0 < rank <= DEPTH else None for rank in found.tolist()]


def _in_board_order(
    collection: Collection, version: int | None, runs: Sequence[Run], user: Any
) -> tuple[list[Run], bool]:
    """Return the runs in the board's order and True, or while there is no board, unchanged and False."""
    try:
        board = published_board(collection, Wish(version=version), user).board
    except Refusal:
        return list(runs), False
    place = {row.run: number for number, row in enumerate(board.rows)}
    return sorted(runs, key=lambda run: (place.get(run.run_tag, len(place)), run.run_tag)), True
