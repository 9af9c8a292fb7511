"""Judged pairs: how often labeled passages win, and how many pairs each run orders as people did.

[SP]: preference qrels win 91.8% of their pairings and the original qrels 46.6% of theirs; run L orders 63.07% of the
judged pairs in its top 10 as people did. Choices made here: the majority of a pair's judgments counts, and tied
pairs are left out. Pairs in which both passages have the label are also left out, because they say nothing about
the label.
"""

from dataclasses import dataclass

import numpy as np

from leaderboard.analyses.shared.contenders import Contenders, Flags
from leaderboard.analyses.shared.proportions import Share, share_with_bounds
from tournament.pair_wins import PairTally


@dataclass(frozen=True)
class OrderedPairs:
    """The judged pairs with both passages in a run's top 10: the share that it orders as people did.

    ``level`` is the number of these pairs with tied judgments, which the share leaves out.
    """

    run: str
    as_people: Share
    level: int


def label_wins(labeled: Flags, judged: PairTally) -> Share:
    """Return how often the labeled passage wins, over the judged pairs in which only one passage has the label."""
    one = labeled[judged.a] != labeled[judged.b]
    sign = np.sign(judged.for_a - judged.for_b)
    won = np.where(labeled[judged.a], sign, -sign)[one]
    return share_with_bounds(int((won > 0).sum()), int((won != 0).sum()))


def ordered_pairs(contenders: Contenders, judged: PairTally) -> tuple[OrderedPairs, ...]:
    """Count the judged pairs that each run orders as people did. Returns a row per run, in the contenders' order."""
    sign = np.sign(judged.for_a - judged.for_b)
    rows = []
    for run, rank in zip(contenders.run_tags, contenders.rank, strict=True):
        first, second = rank[judged.a], rank[judged.b]
        both = (first > 0) & (second > 0)
        # The lower rank is better, so a sign of +1 (people prefer a) agrees with second - first > 0.
        agrees = np.sign(second - first) * sign
        right, decided = int((agrees[both] > 0).sum()), int((agrees[both] != 0).sum())
        level = int((both & (sign == 0)).sum())
        rows.append(OrderedPairs(run, share_with_bounds(right, decided), level))
    return tuple(rows)
