"""The linear order of runs by *do no harm* ([SI], section 5).

For every two runs, test whether one *does no harm* to the other (``leaderboard.analyses.compare.verdicts``): it
answers significantly more queries and does not rank answers significantly lower where both answer, or it ranks them
significantly higher there and does not answer significantly fewer. Tests that grant this divide α by twice the number
of pairs. Tests that withhold it use α, so that no correction for many pairs hides a harm. Search lengths are compared
by paired t-test.

These comparisons leave some pairs unordered, and can form cycles. Choices made here: runs in a cycle count as one
run. The runs that no run outside their cycle beats share the first place, the runs beaten only by those share the
second, and so on. Places are numbered like ranks with ties (1, 1, 3).
"""

from dataclasses import dataclass

import networkx as nx
import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from leaderboard.analyses.shared.proportions import sign_test_p

ALPHA = 0.05
GRANTING_TESTS = 2
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class HarmlessOrder:
    """Which runs beat which, and the place of each run in the order.

    ``beats[i, j]`` is true if run i is better than run j and does no harm to it. ``place`` has each run's rank from
    1, with ties.
    """

    beats: Flags
    place: Integers
    comparisons: int
    """Number of pairs compared."""
    tests: int
    """Number of tests by which α is divided."""


def harmless_order(ranks: Integers, *, alpha: float = ALPHA) -> HarmlessOrder:
    """Return the do-no-harm order of runs.

    ``ranks`` has the rank of the first relevant passage, shape (runs, queries), 0 if the run does not answer. Takes
    time proportional to runs² × queries, for four matrix products. Raises ValueError if there are no runs.
    """
    runs = len(ranks)
    if not runs:
        raise ValueError("an order needs at least one run")
    comparisons = runs * (runs - 1) // 2
    tests = max(1, comparisons * GRANTING_TESTS)
    beats = _beats(ranks.astype(np.float64), alpha / tests, alpha)
    return HarmlessOrder(beats, _shared_places(beats), comparisons, tests)


def _beats(ranks: Floats, granting: float, withholding: float) -> Flags:
    """Return flags, shape (runs, runs): whether the row's run beats the column's run."""
    answered = (ranks > 0).astype(np.float64)
    both = answered @ answered.T
    wins = both.diagonal()[:, None] - both
    share_p = sign_test_p(wins.astype(np.int64), wins.T.astype(np.int64))
    earlier, length_p = _paired_t(ranks, answered, both)
    more, undefined = wins > wins.T, np.isnan(length_p)
    answers_more = (share_p <= granting) & more
    answers_fewer = (share_p <= withholding) & (wins < wins.T)
    finds_earlier = (length_p <= granting) & (earlier > 0)
    finds_later = (length_p <= withholding) & (earlier < 0)
    # If the test is undefined, the direction of the differences counts instead.
    no_harm = np.where(undefined, earlier > 0, ~finds_later)
    found: Flags = (answers_more & no_harm) | (finds_earlier & ~answers_fewer)
    np.fill_diagonal(found, False)
    return found


def _paired_t(ranks: Floats, answered: Floats, both: Floats) -> tuple[Floats, Floats]:
    """Compare the search lengths of each pair of runs by a paired t-test.

    Returns how much shorter the searches of the row's run are in total than those of the column's run, and p.

    Covers the queries that both runs answer; ``both`` is their number for each pair. All sums are of integers, so
    they are exact. p is 1 if all differences are zero, even a single one. It is NaN if there are no queries, or if
    all differences (or the only one) are the same and not zero.
    """
    lengths, squares = answered @ ranks.T, answered @ (ranks**2).T
    total = lengths - lengths.T
    squared = squares + squares.T - 2 * (ranks @ ranks.T)
    spread = both * squared - total**2
    with np.errstate(divide="ignore", invalid="ignore"):
        t = total / np.sqrt(spread / (both - 1))
        p = 2 * stdtr(both - 1, -np.abs(t))
    p = np.where((both < 2) | (spread <= 0), np.nan, p)
    return total, np.where((both > 0) & (squared == 0), 1.0, p)


def _shared_places(beats: Flags) -> Integers:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(beats)))
    graph.add_edges_from(zip(*(side.tolist() for side in np.nonzero(beats)), strict=True))
    circles = nx.condensation(graph)
    place = np.zeros(len(beats), dtype=np.int64)
    above = 0
    for level in nx.topological_generations(circles):
        members = [run for circle in level for run in circles.nodes[circle]["members"]]
        place[members] = above + 1
        above += len(members)
    return place
