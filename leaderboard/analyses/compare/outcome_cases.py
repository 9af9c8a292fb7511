"""Outcomes per query when two runs are compared by their first relevant passage.

Lin et al. (SIGIR 2021) [SI], Table 2: (1) neither run finds a relevant passage in the top k; (2) only one does;
(3) both do. Cases 2 and 3 are different outcomes, so they are not combined into one number. Case 2 is tested with
an exact binomial test. Case 3 compares expected search lengths (ESL, the first relevant rank) or reciprocal ranks.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from leaderboard.analyses.compare.significance import (
    Differences,
    Finding,
    Ranks,
    mean_interval,
    mean_or_nan,
    paired_t,
    rank_sum,
    reciprocal_differences,
    share_interval,
    sign_test,
    signed_rank,
)
from leaderboard.output import Interval

LEVEL = 0.95


@dataclass(frozen=True)
class Naive:
    """Tests on RR over all queries, ignoring the three cases (the paper's Table 1)."""

    rank_sum: Finding
    signed_rank: Finding
    paired_t: Finding


@dataclass(frozen=True)
class Case3:
    """Means and tests of one measure over the queries that both runs answer. ``harm`` is how much worse B is."""

    a: float
    b: float
    signed_rank: Finding
    paired_t: Finding
    harm: Interval


@dataclass(frozen=True)
class Outcomes:
    """A compared with B on the same queries. ``favors`` of a test is 1 if B is the *better* run, -1 if A is."""

    queries: int
    value_a: float
    value_b: float
    naive: Naive
    neither: int
    a_wins: int
    b_wins: int
    both: int
    case2: Finding
    esl: Case3
    rr: Case3
    unanswered_harm: Interval
    """Share of queries that only A answers minus the share that only B answers."""
    level: float

    @property
    def change(self) -> float:
        """MRR of B minus that of A."""
        return self.value_b - self.value_a


def compare_ranks(a: Ranks, b: Ranks, *, level: float = LEVEL) -> Outcomes:
    """Compare runs A and B by the rank of the first relevant passage for each query (0: unanswered)."""
    a, b = np.asarray(a, np.int64), np.asarray(b, np.int64)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"both runs need one rank per query, not {a.shape} and {b.shape}")
    both = (a > 0) & (b > 0)
    a_wins, b_wins = int(((a > 0) & (b == 0)).sum()), int(((a == 0) & (b > 0)).sum())
    change = reciprocal_differences(a, b)
    shorter = (a - b)[both]  # ESL: positive if B is better
    return Outcomes(
        queries=len(a),
        value_a=mean_reciprocal(a),
        value_b=mean_reciprocal(b),
        naive=Naive(rank_sum(a, b), signed_rank(change), paired_t(change)),
        neither=int(((a == 0) & (b == 0)).sum()),
        a_wins=a_wins,
        b_wins=b_wins,
        both=int(both.sum()),
        case2=sign_test(a_wins, b_wins),
        esl=_case3_tests(mean_or_nan(a[both]), mean_or_nan(b[both]), shorter, level),
        rr=_case3_tests(mean_reciprocal(a[both]), mean_reciprocal(b[both]), change[both], level),
        unanswered_harm=share_interval(a_wins, b_wins, len(a), level),
        level=level,
    )


def _case3_tests(a: float, b: float, better: Differences, level: float) -> Case3:
    # Harm is how much worse B is, so flip the sign.
    return Case3(a, b, signed_rank(better), paired_t(better), mean_interval(-better, level))


def mean_reciprocal(ranks: Ranks) -> float:
    """Return the MRR of ranks (0: unanswered); NaN if there are none. Equal MRRs give exactly equal numbers."""
    if not len(ranks):
        return math.nan
    found, times = np.unique(ranks[ranks > 0], return_counts=True)
    total = sum(map(Fraction, times.tolist(), found.tolist()), Fraction())
    return float(total / len(ranks))


def asked_pairs(runs: int) -> list[tuple[int, int]]:
    """Return the pairs (A, B) of runs to compare, as indexes into a chronological list; B is the later run.

    As in the paper's tables: every run with the first, then the last with the two before it, each pair once.
    """
    later = [(0, place) for place in range(1, runs)]
    ending = [(place, runs - 1) for place in (runs - 3, runs - 2) if place > 0]
    return later + ending


def several_answers(queries: int, query: Sequence[int] | npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return which queries have several relevant passages. ``query`` has the query index of each relevant passage."""
    counted: npt.NDArray[np.bool_] = np.bincount(np.asarray(query, np.int64), minlength=queries) > 1
    return counted
