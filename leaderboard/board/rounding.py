"""A board as an artefact: values rounded to a published precision, in the order of the true ones.

Ranks, ranges of ranks and the agreement of both orders come from the true values. What could tell the labels of a
single query otherwise is left out: the share of answered queries, and, under withheld labels, the perfect run, whose
value under preference qrels is the share of labels that are best answers (at 1 it tells them all).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leaderboard.board.standings import Standing
from leaderboard.output.numbers import Rounded

if TYPE_CHECKING:
    from leaderboard.board.boards import PublishedBoard


def rounded_board(
    published: PublishedBoard, *, official: int | None, preference: int | None, with_perfect: bool = True
) -> PublishedBoard:
    """Return the board with so many decimals under each set of labels; None leaves that side as it is."""
    if official is None and preference is None:
        return published
    rows = [
        replace(
            row,
            official=_rounded(row.official, official),
            preference=row.preference and _rounded(row.preference, preference),
        )
        for row in published.board.rows
        if with_perfect or not row.perfect
    ]
    fewest = min(one for one in (official, preference) if one is not None)
    return replace(published, board=replace(published.board, rows=tuple(rows)), decimals=fewest)


def _rounded(standing: Standing, decimals: int | None) -> Standing:
    if decimals is None:
        return standing
    value, low, high = (Rounded.of(one, decimals) for one in (standing.value, standing.low, standing.high))
    return replace(standing, value=value, low=low, high=high, answered=None)
