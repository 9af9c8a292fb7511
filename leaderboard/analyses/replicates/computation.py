"""How well boards from repeated judgments agree.

A replicate is one complete set of judgments of the same passages: a phase, or a campaign. The overlap of best answers
is counted over the queries that both replicates cover. The agreement of boards (MRR@10) is computed over the queries
that all replicates cover.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from leaderboard.analyses.shared.contenders import Contenders, Flags
from leaderboard.scoring.agreement import Agreement, kendall, tau_ap
from leaderboard.scoring.scales import WHOLE


@dataclass(frozen=True)
class Overlap:
    """The overlap of two replicates' best answers, and the agreement of their boards.

    ``same`` is the number of queries with the same best answers in both. ``touching`` is the number of queries with
    at least one best answer in common. ``jaccard`` is the mean Jaccard coefficient of a query's two sets of best
    answers.
    """

    first: str
    second: str
    queries: int
    same: int
    touching: int
    jaccard: float | None
    agreement: Agreement
    tau_ap: float | None
    """τ_AP of the first board against the second."""


@dataclass(frozen=True)
class Replicates:
    """The overlaps of all pairs of replicates, and each replicate's board over the queries that all of them cover."""

    names: tuple[str, ...]
    queries: int
    means: tuple[tuple[float, ...], ...]
    """MRR@10 over these queries, by replicate and run."""
    overlaps: tuple[Overlap, ...]


def compare_replicates(contenders: Contenders, best: Mapping[str, Flags]) -> Replicates:
    """Compare replicates. ``best`` maps each replicate's name to flags of its best nodes.

    A replicate covers the queries for which it has a best answer.
    """
    covered = {name: contenders.covered(nodes) for name, nodes in best.items()}
    shared = np.logical_and.reduce(list(covered.values()))
    totals = {name: contenders.values(nodes)[:, shared].sum(axis=1) for name, nodes in best.items()}
    rows = []
    for first, second in combinations(best, 2):
        both = covered[first] & covered[second]
        common = np.add.reduceat((best[first] & best[second]).astype(np.int64), contenders.starts)[both]
        either = np.add.reduceat((best[first] | best[second]).astype(np.int64), contenders.starts)[both]
        rows.append(
            Overlap(
                first=first,
                second=second,
                queries=int(both.sum()),
                same=int((common == either).sum()),
                touching=int((common > 0).sum()),
                jaccard=float((common / either).mean()) if both.any() else None,
                agreement=kendall(totals[first], totals[second]),
                tau_ap=tau_ap(totals[first], totals[second]),
            )
        )
    scale = WHOLE * max(int(shared.sum()), 1)
    means = tuple(tuple((totals[name] / scale).tolist()) for name in best)
    return Replicates(tuple(best), int(shared.sum()), means, tuple(rows))
