"""Build contenders and judged pairs from a few words, for tests of analyses."""

import numpy as np

from leaderboard.analyses.shared.contenders import Contenders
from tournament.derivation import CountedJudgments, Entrants


def contenders(ranks: dict[str, dict[tuple[int, int], int]], nodes: list[tuple[int, int]]) -> Contenders:
    """``ranks``: run tag → (query, passage) → rank; ``nodes``: every compared (query, passage)."""
    nodes = sorted(nodes)
    rank = np.array([[of_run.get(node, 0) for node in nodes] for of_run in ranks.values()], dtype=np.int64)
    query, passage = np.array(nodes, dtype=np.int64).reshape(-1, 2).T
    return Contenders(tuple(ranks), query, passage, rank.reshape(len(ranks), len(nodes)), {})


def entrants(nodes: list[tuple[int, int]]) -> Entrants:
    """Return every node as an entrant of its own class."""
    query, passage = np.array(sorted(nodes), dtype=np.int64).reshape(-1, 2).T
    return Entrants(query, passage, passage)


def judged(rows: list[tuple[int, int, int, int]]) -> CountedJudgments:
    """Return judgments of the first round from (query, left, right, preferred or 0)."""
    query, left, right, preferred = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return CountedJudgments(query, left, right, preferred, np.zeros(len(rows), dtype=np.int64))
