"""Judged pairs: how often labeled passages win, and which runs order pairs as people did.

[SP]: preference qrels win 91.8% of their pairings and the original qrels 46.6% of theirs; run L orders 63.07% of the
judged pairs in its top 10 as people did. Choices made here: several judgments of a pair decide by majority, and tied
pairs are left out. A pair of two passages with the label is also left out, because it is no evidence for or against
the label.
"""

from dataclasses import dataclass

import numpy as np

from leaderboard.analyses.shared.contenders import Contenders, Flags
from leaderboard.analyses.shared.proportions import Share, share_with_bounds
from tournament.pair_wins import PairTally


@dataclass(frozen=True)
class OrderedPairs:
    """The judged pairs with both sides in one run's top 10, and how many of them the run orders as people did."""

    run: str
    as_people: Share
    level: int


def label_wins(labeled: Flags, judged: PairTally) -> Share:
    """Return how often the labeled nodes win the pairs in which exactly one side has the label."""
    one = labeled[judged.a] != labeled[judged.b]
    sign = np.sign(judged.for_a - judged.for_b)
    won = np.where(labeled[judged.a], sign, -sign)[one]
    return share_with_bounds(int((won > 0).sum()), int((won != 0).sum()))


def ordered_pairs(contenders: Contenders, judged: PairTally) -> tuple[OrderedPairs, ...]:
    """Return one row per run, in the contenders' order."""
    sign = np.sign(judged.for_a - judged.for_b)
    rows = []
    for run, rank in zip(contenders.run_tags, contenders.rank, strict=True):
        first, second = rank[judged.a], rank[judged.b]
        both = (first > 0) & (second > 0)
        # The lower rank is better: people's +1 for a agrees with second - first > 0.
        agrees = np.sign(second - first) * sign
        right, decided = int((agrees[both] > 0).sum()), int((agrees[both] != 0).sum())
        level = int((both & (sign == 0)).sum())
        rows.append(OrderedPairs(run, share_with_bounds(right, decided), level))
    return tuple(rows)
