"""Find best answers from wins, for all queries at once.

The passage with the most wins is the best answer. If several tie, the others are dropped and wins are recounted among
the tied passages. This is repeated until one is left or none can be dropped (Copeland's method; Arabzadeh et al.,
*Shallow pooling for sparse labels*). A node is a passage, or a class of near-duplicates. All queries share one array
of nodes: query *q* has the nodes from ``starts[q]`` up to the next query's start.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from tournament.pair_wins import ExactArray, IntArray, PairWins, sums_by_node

BoolArray = NDArray[np.bool_]


class Ties(StrEnum):
    """Ways to handle ties for the most wins: recount wins among the tied passages, or keep all of them."""

    RECOUNT = "recount"
    KEEP = "keep"


@dataclass(frozen=True)
class Standings:
    """The results of every query's tournament so far. ``wins``: numerators over ``unit``, shape (nodes,)."""

    wins: ExactArray
    unit: int
    best: BoolArray  # (nodes,): whether the node is a best answer
    unjudged: IntArray  # (nodes,): number of the node's pairs that lack judgments
    closed: BoolArray  # (queries,): whether no missing judgment can change the best answers
    tied_at_first: IntArray  # (queries,): number of nodes with the most wins before any recount
    cycle: BoolArray  # (queries,): whether the best answers form a cycle of strict majorities


def best_of_queries(
    starts: IntArray, size: int, pairs: PairWins, *, ties: Ties = Ties.RECOUNT, wanted: int = 1
) -> Standings:
    """Find the best answers of every query.

    ``starts`` has shape (queries,) and ascends from 0; ``size`` is the number of nodes. ``pairs`` has at most one
    entry per pair of nodes of the same query. A pair with fewer than ``wanted`` judgments counts, but its query stays
    open unless no other passage can catch up with the leader. Raises ValueError if a query has no node.
    """
    lengths = np.diff(np.append(starts, size))
    if len(starts) and (starts[0] != 0 or lengths.min() < 1):
        raise ValueError("every query needs at least one node, and nodes are sorted by query")
    query = np.repeat(np.arange(len(starts)), lengths)
    wins = _wins_by_node(pairs, size)
    best, tied_at_first = _most_wins(starts, query, size, pairs, wins, ties)
    unjudged, closed = _lacking_and_closed(starts, query, lengths, pairs, wanted)
    cycle = np.zeros(len(starts), dtype=bool)
    for number in np.flatnonzero(_count_by_query(query, best, len(starts)) > 1):
        low = starts[number]
        cycle[number] = _is_cycle(low + np.flatnonzero(best[low : low + lengths[number]]), pairs)
    return Standings(wins, pairs.unit, best, unjudged, closed, tied_at_first, cycle)


def _wins_by_node(pairs: PairWins, size: int) -> ExactArray:
    return sums_by_node(pairs.a, pairs.wins_a, size) + sums_by_node(pairs.b, pairs.wins_b, size)


def _count_by_query(query: IntArray, flags: BoolArray, queries: int) -> IntArray:
    """Return how many nodes of each query are flagged."""
    return np.bincount(query[flags], minlength=queries)


def _query_max(starts: IntArray, values: ExactArray) -> ExactArray:
    """Return the largest value of each query."""
    return np.maximum.reduceat(values, starts) if len(starts) else values


def _most_wins(
    starts: IntArray, query: IntArray, size: int, pairs: PairWins, wins: ExactArray, ties: Ties
) -> tuple[BoolArray, IntArray]:
    """Return a mask of the nodes that have the most wins after recounts.

    Also returns each query's number of nodes with the most wins before any recount.
    """
    alive = wins == _query_max(starts, wins)[query]
    tied_at_first = _count_by_query(query, alive, len(starts))
    left = pairs
    while ties is Ties.RECOUNT:
        among = alive[left.a] & alive[left.b]
        left = left.only(among)
        recounted = _wins_by_node(left, size)
        still = alive & (recounted == _query_max(starts, np.where(alive, recounted, -1))[query])
        if still.sum() == alive.sum():
            break
        alive = still
    return alive, tied_at_first


def _lacking_and_closed(
    starts: IntArray, query: IntArray, lengths: IntArray, pairs: PairWins, wanted: int
) -> tuple[IntArray, BoolArray]:
    """Return the number of each node's pairs that lack judgments, and which queries are closed.

    A query is closed if no pair lacks judgments, or if no rival can catch up with the wins of one passage in its
    judged pairs. A rival can still win all its pairs that lack judgments.
    """
    size = len(query)
    done = pairs.judged >= wanted
    a, b = pairs.a[done], pairs.b[done]
    unjudged = lengths[query] - 1 - np.bincount(a, minlength=size) - np.bincount(b, minlength=size)
    complete = _count_by_query(query, unjudged > 0, len(starts)) == 0
    if complete.all():
        return unjudged, complete
    sure = sums_by_node(a, pairs.wins_a[done], size) + sums_by_node(b, pairs.wins_b[done], size)
    highest = _query_max(starts, sure)
    leads = sure == highest[query]
    reachable = np.where(leads, -1, sure + unjudged * pairs.unit)
    uncatchable = (_count_by_query(query, leads, len(starts)) == 1) & (
        highest > _query_max(starts, reachable)
    )
    return unjudged, complete | uncatchable


def _is_cycle(tied: IntArray, pairs: PairWins) -> bool:
    """Return whether each tied node beats every other one by strict majorities, directly or through others.

    This tests strong connectivity, because enumerating the cycles would take exponential time.
    """
    import networkx as nx  # Imported here, because it would add a fifth of a second to every command.

    low, high = np.searchsorted(pairs.a, [tied[0], tied[-1] + 1])  # pairs are sorted by a
    members = set(tied.tolist())
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(members)
    for a, b, wins_a, wins_b in zip(
        pairs.a[low:high].tolist(),
        pairs.b[low:high].tolist(),
        pairs.wins_a[low:high].tolist(),
        pairs.wins_b[low:high].tolist(),
        strict=True,
    ):
        if a in members and b in members and wins_a != wins_b:
            graph.add_edge(*((a, b) if wins_a > wins_b else (b, a)))
    return bool(nx.is_strongly_connected(graph))


def lacking_pairs(
    starts: IntArray, size: int, pairs: PairWins, queries: IntArray, *, wanted: int = 1
) -> dict[int, list[tuple[int, int]]]:
    """Map the given query numbers to their node pairs (a, b) with fewer than ``wanted`` judgments, ascending."""
    ends = np.append(starts, size)
    done = pairs.judged >= wanted
    a, b = pairs.a[done], pairs.b[done]
    lacking = {}
    for number in queries.tolist():
        low, high = int(ends[number]), int(ends[number + 1])
        first, last = np.searchsorted(a, [low, high])
        judged = set(zip(a[first:last].tolist(), b[first:last].tolist(), strict=True))
        every = ((i, j) for i in range(low, high) for j in range(i + 1, high))
        lacking[number] = [pair for pair in every if pair not in judged]
    return lacking
