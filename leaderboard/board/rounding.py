"""The board that non-members see: rounded values in the true order.

Ranks, ranges of ranks and the agreement of both orders come from the unrounded values. Values that could reveal a
query's labels are left out:

- the share of answered queries;
- under withheld labels, intervals, because a run that answers a single query has an interval above 0;
- under withheld labels, the perfect run. Its value under preference qrels is the share of labels that are best
  answers, so a value of 1 reveals all labels.
"""

import math
from dataclasses import replace

from leaderboard.board.boards import PublishedBoard
from leaderboard.board.standings import Standing
from leaderboard.output.numbers import Rounded


def rounded_board(
    published: PublishedBoard,
    *,
    official: int | None,
    preference: int | None,
    withheld: bool = False,
    version_withheld: bool = False,
    any_withheld: bool = False,
) -> PublishedBoard:
    """Return the board with rounded values.

    ``official`` and ``preference`` are the decimals of the two kinds of values (None: not rounded).

    - ``withheld``: whether the official labels are withheld.
    - ``version_withheld``: whether the version reveals withheld labels.
    - ``any_withheld``: whether the collection has withheld labels. If so, judged tops are left out, because
      runs could be used to test which passages the labels brought into the pool. The number of singletons is
      shown as 0, because it reveals how many labels are top passages of runs.
    """
    if any_withheld:
        bare = tuple(replace(row, judged_tops=None) for row in published.board.rows)
        published = replace(published, singletons=0, board=replace(published.board, rows=bare))
    if official is None and preference is None:
        return published
    rows = [
        replace(
            row,
            official=_round_standing(row.official, official, bounded=not withheld),
            preference=row.preference
            and _round_standing(row.preference, preference, bounded=not version_withheld),
        )
        for row in published.board.rows
        if not ((withheld or version_withheld) and row.perfect)
    ]
    fewest = min(one for one in (official, preference) if one is not None)
    return replace(published, board=replace(published.board, rows=tuple(rows)), decimals=fewest)


def _round_standing(standing: Standing, decimals: int | None, *, bounded: bool = True) -> Standing:
    if decimals is None:
        return standing
    bounds = (standing.low, standing.high) if bounded else (math.nan, math.nan)
    value, low, high = (Rounded.of(one, decimals) for one in (standing.value, *bounds))
    return replace(standing, value=value, low=low, high=high, answered=None)
