"""How well boards from repeated judgments agree.

A replicate is one complete set of judgments of the same passages: a phase, or a campaign. Overlap of the best answers
is counted over the queries that two replicates cover, the boards' agreement (MRR@10) over the queries that all
replicates cover.
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
    """The overlap of two replicates.

    ``same``: queries with the same best answers; ``touching``: with at least one in common; ``jaccard``: the mean
    Jaccard coefficient of the queries' best answers.
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
    """All pairs of replicates, and the means of each replicate over the shared queries."""

    names: tuple[str, ...]
    queries: int
    means: tuple[tuple[float, ...], ...]
    """Replicates × runs: MRR@10 over the shared queries."""
    overlaps: tuple[Overlap, ...]


def compare_replicates(contenders: Contenders, best: Mapping[str, Flags]) -> Replicates:
    """Compare replicates. ``best``: replicate → its best nodes. Queries without a best answer are not covered."""
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
