"""A published board: rounded values in the true order.

Ranks, ranges of ranks and the agreement of both orders come from the true values. Anything else that could reveal a
query's labels is left out: the share of answered queries, and, under withheld labels, intervals (a run that answers a
single query has an interval above 0) and the perfect run, whose value under preference qrels is the share of labels
that are best answers (at 1 it reveals them all).
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
    """Return the board with values rounded to the given decimals for each set of labels; None: not rounded.

    ``withheld``: whether the official labels are withheld; ``version_withheld``: whether the version reveals withheld
    labels; ``any_withheld``: whether the collection has any. In that case judged tops are left out, because a run
    could probe for each passage whether the labels brought it into the pool. Singletons then count as closed: their
    number reveals how many labels are runs' top passages.
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
