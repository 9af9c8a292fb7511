"""The board: runs in order under official and under preference qrels, with intervals, ranks and shifts.

[SP] Table 3 sets the two columns of MRR@10 side by side and adds the perfect run, the one that returns the
official qrel of every query at rank 1 and nothing else: by RR@10 it has 1 under official qrels, and under
preference qrels the share of queries whose official qrel is a best answer. It stands in the table, with the
rank it would have among the runs, but counts in no other run's rank and in no correlation. The same board can be
drawn by any measure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leaderboard.agreement import Agreement, kendall
from leaderboard.intervals import LEVEL, TRIALS, bootstrap_intervals

DEPTH = 10
# RR@10 is 1/rank with rank ≤ 10, or 0: times this it is an integer, so means and ties between runs are exact.
WHOLE = 2520
# Means of other measures are compared to this many digits after the point.
DIGITS = 12
PERFECT = "perfect run"

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean over queries with its interval; all nan where the measure has a value for no query."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class BoardRow:
    """One run on the board. ``shift`` is positive when preference qrels move it up; shares are 0 to 1."""

    run: str
    official: Estimate
    preference: Estimate
    rank_official: int
    rank_preference: int
    shift: int
    answered_official: float
    answered_preference: float
    judged_tops: float
    perfect: bool = False


@dataclass(frozen=True)
class Board:
    """All rows, best first under preference qrels (equal values by run tag, the perfect run before them)."""

    queries: int
    rows: tuple[BoardRow, ...]
    agreement: Agreement
    trials: int
    level: float
    seed: int


def competition_ranks(totals: npt.NDArray[np.int64] | Values) -> npt.NDArray[np.int64]:
    """Ranks from 1, the largest total first; equal totals share the better rank (1, 2, 2, 4)."""
    ordered = np.sort(-totals)
    return np.searchsorted(ordered, -totals, side="left").astype(np.int64) + 1


@dataclass(frozen=True)
class Scale:
    """How values of a measure are compared: in which direction, and exactly where ``whole`` makes them integers."""

    higher_is_better: bool = True
    whole: int | None = WHOLE

    def means(self, values: Values) -> Values:
        """The mean of each row (rows × queries) over the queries that have a value; nan without any."""
        known = ~np.isnan(values)
        there = known.sum(axis=1)
        if self.whole is None:
            total = np.array([math.fsum(row[has]) for row, has in zip(values, known, strict=True)])
        else:
            total = np.rint(values * self.whole).sum(axis=1)
        means: Values = np.divide(
            total, there * (self.whole or 1), out=np.full(len(values), np.nan), where=there > 0
        )
        return means

    def standings(self, values: Values) -> Values:
        """One number a row, higher for the better, equal for equal runs; -inf for a run without any value."""
        means = self.means(values)
        # Sums of integers are exact; else runs of equal values may differ in the last digits of their sums.
        settled = np.rint(means * self.whole * values.shape[1]) if self.whole else np.round(means, DIGITS)
        return np.where(np.isnan(means), -np.inf, settled if self.higher_is_better else -settled)


@dataclass(frozen=True)
class BoardInput:
    """What a board is drawn from, over the same queries in the same order.

    ``official`` and ``preference`` are runs × queries arrays of the measure's values; ``judged`` is runs × queries, 1
    where the run's top passage was judged. The last row of each belongs to the perfect run, so each has a
    row more than there are tags. There must be at least one query (ValueError).
    """

    run_tags: list[str]
    official: Values
    preference: Values
    judged: Values
    scale: Scale = Scale()

    def __post_init__(self) -> None:
        shape = (len(self.run_tags) + 1, self.official.shape[-1])
        if not self.official.shape == self.preference.shape == self.judged.shape == shape:
            raise ValueError("every array needs a row for each run and one for the perfect run")
        if shape[1] == 0:
            raise ValueError("a board needs at least one query")


@dataclass(frozen=True)
class _Column:
    """One set of labels: what every row gets under it."""

    estimates: list[Estimate]
    ranks: npt.NDArray[np.int64]
    answered: Values
    standings: Values


def draw_board(given: BoardInput, *, seed: int, trials: int = TRIALS, level: float = LEVEL) -> Board:
    """The board of ``given``, with bootstrap intervals from ``seed``; the resamples serve both sets of
    labels.

    A query is answered when its value is neither 0 nor missing. Runs with equal means share a rank.
    """
    count, queries = given.official.shape
    bounds = bootstrap_intervals(
        np.vstack([given.official, given.preference]),
        rng=np.random.default_rng(seed),
        trials=trials,
        level=level,
        whole=given.scale.whole,
    )
    official = _column(given.official, given.scale, bounds.low[:count], bounds.high[:count])
    preference = _column(given.preference, given.scale, bounds.low[count:], bounds.high[count:])
    judged = given.judged.mean(axis=1)
    rows = [
        BoardRow(
            run=tag,
            official=official.estimates[i],
            preference=preference.estimates[i],
            rank_official=int(official.ranks[i]),
            rank_preference=int(preference.ranks[i]),
            shift=int(official.ranks[i] - preference.ranks[i]),
            answered_official=float(official.answered[i]),
            answered_preference=float(preference.answered[i]),
            judged_tops=float(judged[i]),
            perfect=i == count - 1,
        )
        for i, tag in enumerate([*given.run_tags, PERFECT])
    ]
    return Board(
        queries=queries,
        rows=tuple(sorted(rows, key=lambda row: (row.rank_preference, not row.perfect, row.run))),
        agreement=_agreement(official.standings[:-1], preference.standings[:-1]),
        trials=trials,
        level=level,
        seed=seed,
    )


def _agreement(official: Values, preference: Values) -> Agreement:
    """Over the runs that have a value under both."""
    both = np.isfinite(official) & np.isfinite(preference)
    return kendall(official[both], preference[both])


def _column(values: Values, scale: Scale, low: Values, high: Values) -> _Column:
    estimates = [
        Estimate(float(mean), float(lower), float(upper))
        for mean, lower, upper in zip(scale.means(values), low, high, strict=True)
    ]
    standings = scale.standings(values)
    answered = (np.nan_to_num(values) > 0).mean(axis=1)
    return _Column(estimates, _ranks_with_perfect(standings), answered, standings)


def _ranks_with_perfect(standings: Values) -> npt.NDArray[np.int64]:
    """Ranks of the runs among themselves, and last the rank the perfect run (the last one) would have."""
    runs, perfect = standings[:-1], standings[-1]
    return np.append(competition_ranks(runs), 1 + int((runs > perfect).sum()))


def standing_out(rows: Sequence[BoardRow], count: int = 5) -> list[BoardRow]:
    """The first ``count`` runs in either order, and the ``count`` that rise and that fall most.

    Each once, in the order of the preference board, equal runs by tag; the perfect run is none of them.
    """
    runs = sorted((row for row in rows if not row.perfect), key=lambda row: row.run)
    orders = (
        sorted(runs, key=lambda row: row.rank_preference)[:count],
        sorted(runs, key=lambda row: row.rank_official)[:count],
        sorted((row for row in runs if row.shift > 0), key=lambda row: -row.shift)[:count],
        sorted((row for row in runs if row.shift < 0), key=lambda row: row.shift)[:count],
    )
    chosen = {row.run for order in orders for row in order}
    return sorted((row for row in runs if row.run in chosen), key=lambda row: row.rank_preference)
