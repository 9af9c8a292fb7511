"""Measure how fast best answers are found with arrays over all queries, compared with networkx query by query.

The data are 6,980 pools with 138,905 judgments, one per pair (the size of a whole development set judged once). Both
methods start from the same judgments as integer arrays and must find the same best answers. Limits:

- finding all best answers from the judgments is at least 20 × faster than networkx, query by query;
- it takes at most 0.1 s.

``--json`` prints the figures as JSON; ``--check`` exits 1 if a limit is missed.
"""

import json
import statistics
import sys

import networkx as nx
import numpy as np
from _harness import options_parser, timings

from tournament.copeland import best_of_queries
from tournament.pair_wins import tally, wins_of_pairs

QUERIES, JUDGMENTS = 6_980, 138_905
LEAST_RATIO, MOST_SECONDS = 20.0, 0.1


def pools(rng: np.random.Generator) -> np.ndarray:
    """Return pool sizes whose round robins have ``JUDGMENTS`` pairs in all."""
    sizes = np.full(QUERIES, 6)
    short = JUDGMENTS - int((sizes * (sizes - 1) // 2).sum())
    for query in rng.permutation(np.tile(np.arange(QUERIES), 4)):
        if short < sizes[query]:
            break
        short -= sizes[query]
        sizes[query] += 1
    singles = QUERIES - 1
    while short:  # growing a pool from one to two passages adds one pair
        short += int(sizes[singles] * (sizes[singles] - 1) // 2)
        sizes[singles] = 1
        while short >= sizes[singles]:
            short -= int(sizes[singles])
            sizes[singles] += 1
        singles -= 1
    return sizes


def judgments(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return (query starts, left, right, preferred), one judgment per pair, from passage quality plus noise."""
    sizes = pools(rng)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    left, right = (
        np.concatenate([start + side for start, side in zip(starts, pair, strict=True)])
        for pair in zip(*(np.triu_indices(size, 1) for size in sizes), strict=True)
    )
    quality = rng.normal(size=sizes.sum())
    ahead = quality[left] - quality[right] + rng.normal(size=len(left)) > 0
    preferred = np.where(ahead, left, right)
    swapped = rng.random(len(left)) < 0.5
    shuffled = rng.permutation(len(left))
    shown = np.where(swapped, right, left)[shuffled], np.where(swapped, left, right)[shuffled]
    return starts, *shown, preferred[shuffled]


def by_arrays(starts: np.ndarray, left: np.ndarray, right: np.ndarray, preferred: np.ndarray) -> set[int]:
    """Find the best answers of all queries with this project's code."""
    size = int(max(left.max(), right.max(), starts[-1])) + 1
    largest = int(np.diff(np.append(starts, size)).max())
    wins = wins_of_pairs(tally(left, right, preferred), largest=largest)
    return set(np.flatnonzero(best_of_queries(starts, size, wins).best).tolist())


def by_networkx(starts: np.ndarray, left: np.ndarray, right: np.ndarray, preferred: np.ndarray) -> set[int]:
    """Find the best answers with one digraph per query.

    Keep the nodes with the largest out-degree, and repeat this on their subgraph until no node drops.
    """
    size = int(max(left.max(), right.max(), starts[-1])) + 1
    query = np.searchsorted(starts, left, side="right") - 1
    graphs = [nx.DiGraph() for _ in starts]
    for number, (low, high) in enumerate(zip(starts, np.append(starts[1:], size), strict=True)):
        graphs[number].add_nodes_from(range(int(low), int(high)))
    beaten = np.where(preferred == left, right, left)
    for number, winner, loser in zip(query.tolist(), preferred.tolist(), beaten.tolist(), strict=True):
        graphs[number].add_edge(winner, loser)
    best: set[int] = set()
    for graph in graphs:
        while True:
            wins = dict(graph.out_degree())
            tied = [node for node, won in wins.items() if won == max(wins.values())]
            if len(tied) == len(graph):
                break
            graph = graph.subgraph(tied)
        if len(tied) > 1:
            nx.is_strongly_connected(graph)
        best.update(tied)
    return best


def measure() -> dict[str, float | int | bool]:
    data = judgments(np.random.default_rng(6980))
    if by_arrays(*data) != by_networkx(*data):
        raise SystemExit("the two methods find different best answers")
    starts, left, right, preferred = data
    size = int(max(left.max(), right.max())) + 1
    wins = wins_of_pairs(tally(left, right, preferred), largest=64)
    standings = best_of_queries(starts, size, wins)
    per_query = np.add.reduceat(standings.best.astype(int), starts)
    arrays = statistics.median(timings(lambda: by_arrays(*data), 9))
    peer = statistics.median(timings(lambda: by_networkx(*data), 3))
    settling = statistics.median(timings(lambda: best_of_queries(starts, size, wins), 9))
    return {
        "queries": len(starts),
        "judgments": len(left),
        "tied": int((per_query > 1).sum()),
        "cycles": int(standings.cycle.sum()),
        "arrays_seconds": round(arrays, 5),
        "settling_seconds": round(settling, 5),
        "networkx_seconds": round(peer, 4),
        "ratio": round(peer / arrays, 1),
        "passed": peer / arrays >= LEAST_RATIO and arrays <= MOST_SECONDS,
    }


def main() -> None:
    """Measure and print; with --check, fail if a limit is missed."""
    parser = options_parser(__doc__)
    options = parser.parse_args()
    found = measure()
    if options.json:
        print(json.dumps(found))
    else:
        print(f"{found['queries']:,} pools, {found['judgments']:,} judgments")
        print(f"{found['tied']:,} queries left tied, {found['cycles']:,} of them cycles")
        print(f"judgments to best answers, arrays     {found['arrays_seconds']:8.4f} s")
        print(f"  of that, counting and recounting    {found['settling_seconds']:8.4f} s")
        print(f"networkx, query by query              {found['networkx_seconds']:8.4f} s")
        print(f"faster by                             {found['ratio']:8.1f} × (at least {LEAST_RATIO:g} ×)")
    if options.check and not found["passed"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
