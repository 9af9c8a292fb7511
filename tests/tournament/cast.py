"""Small tournaments for these tests."""

import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from django.db import connections

from tournament.contests import Contest
from tournament.copeland import Standings, Ties, best_of_queries
from tournament.derivation import CountedJudgments, Entrants, Parameters, derive
from tournament.pair_wins import Count, tally, wins_of_pairs

#: (left, right, preferred); preferred None for "cannot decide".
Judgment = tuple[int, int, int | None]

ALL_JUDGED_CYCLE: list[Judgment] = [(0, 1, 0), (1, 2, 1), (2, 0, 2)]


def ladder(passages: Sequence[int]) -> list[Judgment]:
    """Return a round robin in which the earlier passage always wins."""
    return [(a, b, a) for a, b in combinations(passages, 2)]


def standings(
    sizes: Sequence[int],
    judgments: Iterable[Judgment],
    *,
    ties: Ties = Ties.RECOUNT,
    count: Count = Count.SHARES,
    wanted: int = 1,
) -> Standings:
    """Settle queries of these sizes, with nodes numbered across queries."""
    rows = list(judgments)
    left, right = (np.array([row[side] for row in rows], dtype=np.int64) for side in (0, 1))
    preferred = np.array([-1 if row[2] is None else row[2] for row in rows], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    pairs = wins_of_pairs(tally(left, right, preferred), count=count, largest=max(sizes))
    return best_of_queries(starts, sum(sizes), pairs, ties=ties, wanted=wanted)


def best_of(size: int, judgments: Iterable[Judgment], **options) -> set[int]:
    """Return the best answers of one query."""
    return set(np.flatnonzero(standings([size], judgments, **options).best).tolist())


def derived(
    pools: dict[int, Sequence[int]],
    rounds: dict[int, dict[int, list[Judgment]]],
    contests: Sequence[Contest] = (),
    parameters: Parameters | None = None,
):
    """Derive from pools (query → passages, from 1) and rounds (number → query → judgments)."""
    members = [(query, passage) for query, passages in pools.items() for passage in passages]
    rows = [
        (query, left, right, preferred or 0, number)
        for number, queries in rounds.items()
        for query, judgments in queries.items()
        for left, right, preferred in judgments
    ]
    member = np.array(members, dtype=np.int64).reshape(-1, 2).T
    row = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    return derive(
        Entrants(member[0], member[1], member[1]),
        CountedJudgments(*row),
        list(contests),
        parameters or Parameters(),
    )


def at_once(calls: Sequence[Callable[[], Any]]) -> tuple[list[Any], list[Exception]]:
    """Return the results and errors of calls in threads that start together."""
    gate, results, errors = threading.Barrier(len(calls)), [], []

    def run(call: Callable[[], Any]) -> None:
        try:
            gate.wait()
            results.append(call())
        except Exception as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results, errors
