"""The compared passages, and their ranks in every run.

A *node* is one class of equal or near-duplicate passages, for one query. Its rank in a run is the best rank of any
member of the class. Values are integers, RR@10 times 2520, so that means and ties between runs are exact
(leaderboard/scoring/scales.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from leaderboard.board.standings import DEPTH
from leaderboard.scoring.scales import WHOLE
from tournament.derivation import CountedJudgments
from tournament.outcomes import QueryOutcome
from tournament.pair_wins import PairTally, tally

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
NOWHERE = -1


@dataclass(frozen=True)
class Contenders:
    """The nodes of a campaign, ascending by (query, passage), and their ranks in every run.

    ``query`` and ``passage`` have the database keys of each node's query and of the passage that represents its
    class, shape (nodes,). ``rank`` has the shape (runs, nodes), with ranks from 1 to ``DEPTH``, or 0 if no member of
    the class ranks that high. ``represents`` maps (query, passage) to the representative of its class. A passage
    that it lacks represents itself.
    """

    run_tags: tuple[str, ...]
    query: Integers
    passage: Integers
    rank: Integers
    represents: Mapping[tuple[int, int], int]

    def __post_init__(self) -> None:
        if self.rank.shape != (len(self.run_tags), len(self.query)):
            raise ValueError("every run needs a rank for every node")
        if self.rank.size and not 0 <= self.rank.min() <= self.rank.max() <= DEPTH:
            raise ValueError(f"ranks are 0 to {DEPTH}")

    @cached_property
    def queries(self) -> Integers:
        """Keys of the queries, ascending. They are the columns of arrays with the shape (runs, queries)."""
        return np.unique(self.query)

    @cached_property
    def starts(self) -> Integers:
        """The index of the first node of every query."""
        return np.searchsorted(self.query, self.queries).astype(np.int64)

    @cached_property
    def _place(self) -> dict[tuple[int, int], int]:
        keys = zip(self.query.tolist(), self.passage.tolist(), strict=True)
        return {key: node for node, key in enumerate(keys)}

    def node(self, query: int, passage: int) -> int:
        """Return the index of a passage's node, or NOWHERE if the passage was not compared."""
        return self._place.get((query, self.represents.get((query, passage), passage)), NOWHERE)

    @cached_property
    def tops(self) -> Integers:
        """Each run's top node for each query, shape (runs, queries); NOWHERE if its top passage was not compared."""
        found = np.full((len(self.run_tags), len(self.queries)), NOWHERE, dtype=np.int64)
        run, node = np.nonzero(self.rank == 1)
        found[run, np.searchsorted(self.queries, self.query[node])] = node
        return found

    def best(self, outcomes: Mapping[int, QueryOutcome]) -> Flags:
        """Return which nodes are best answers in ``outcomes`` (query key → outcome), shape (nodes,)."""
        best = np.zeros(len(self.query), dtype=bool)
        for query, outcome in outcomes.items():
            for passage in outcome.best:
                if (node := self.node(query, passage)) != NOWHERE:
                    best[node] = True
        return best

    def values(self, best: Flags) -> Integers:
        """Return RR@10 times 2520 with the nodes in ``best`` as relevant, shape (runs, queries)."""
        if not len(self.queries):
            return np.zeros((len(self.run_tags), 0), dtype=np.int64)
        return np.maximum.reduceat(self._worth * best, self.starts, axis=1)

    @cached_property
    def _worth(self) -> Integers:
        return np.where(self.rank > 0, WHOLE // np.maximum(self.rank, 1), 0)

    def covered(self, best: Flags) -> Flags:
        """Return which queries have a node in ``best``, shape (queries,)."""
        if not len(self.queries):
            return np.zeros(0, dtype=bool)
        return np.maximum.reduceat(best, self.starts)

    def judged_pairs(self, judged: CountedJudgments) -> PairTally:
        """Count the judgments of each pair of nodes. Judgments of a passage without a node are left out."""
        left, right, preferred = self.nodes_of(judged)
        known = (left != NOWHERE) & (right != NOWHERE)
        return tally(left[known], right[known], preferred[known])

    def nodes_of(self, judged: CountedJudgments) -> tuple[Integers, Integers, Integers]:
        """Return the left, right and preferred node of each judgment; NOWHERE for no node or no preference."""
        sides = zip(
            judged.query.tolist(),
            judged.left.tolist(),
            judged.right.tolist(),
            judged.preferred.tolist(),
            strict=True,
        )
        rows = []
        for query, left, right, preferred in sides:
            ends = self.node(query, left), self.node(query, right)
            chosen = {left: ends[0], right: ends[1]}.get(preferred, NOWHERE)
            rows.append((*ends, chosen))
        left, right, preferred = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return left, right, preferred


def pair_indexes(pairs: PairTally, first: Integers, second: Integers) -> Integers:
    """Return the index in ``pairs`` of each pair of nodes, in either order; NOWHERE if it was not judged."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    if not len(pairs.a):
        return np.full(low.shape, NOWHERE, dtype=np.int64)
    width = int(max(pairs.b.max(), high.max(initial=0))) + 1
    keys = pairs.a * width + pairs.b
    found = np.minimum(np.searchsorted(keys, low * width + high), len(keys) - 1)
    same = (keys[found] == low * width + high) & (low >= 0) & (low != high)
    return np.where(same, found, NOWHERE).astype(np.int64)
