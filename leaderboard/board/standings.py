"""The board: runs ranked under official and preference qrels, with intervals, ranks and shifts.

[SP] Table 3 shows the two columns of MRR@10 side by side and adds the perfect run, which returns the official
qrel of every query at rank 1 and nothing else. Its RR@10 is 1 under official qrels; under preference qrels it is
the share of queries whose official qrel is a best answer. The table shows the rank it would have among the runs,
but it does not affect other ranks or correlations. A board can use any measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from leaderboard.scoring.agreement import Agreement, kendall
from leaderboard.scoring.intervals import LEVEL, TRIALS, bootstrap_intervals
from leaderboard.scoring.scales import Scale

DEPTH = 10
PERFECT = "perfect run"

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean over queries with its interval; all nan if the measure has no value for any query."""

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
    """Return ranks from 1, the largest total first; equal totals share the better rank (1, 2, 2, 4)."""
    ordered = np.sort(-totals)
    return np.searchsorted(ordered, -totals, side="left").astype(np.int64) + 1


@dataclass(frozen=True)
class BoardInput:
    """Input of a board, over the same queries in the same order.

    ``official`` and ``preference`` are runs × queries arrays of the measure's values; ``judged`` is runs ×
    queries, 1 where the run's top passage was judged. The last row of each belongs to the perfect run, so each
    has one row more than there are tags. There must be at least one query (ValueError).
    """

    run_tags: list[str]
    official: Values
    preference: Values
    judged: Values
    scale: Scale = field(default_factory=Scale)

    def __post_init__(self) -> None:
        shape = (len(self.run_tags) + 1, self.official.shape[-1])
        if not self.official.shape == self.preference.shape == self.judged.shape == shape:
            raise ValueError("every array needs a row for each run and one for the perfect run")
        if shape[1] == 0:
            raise ValueError("a board needs at least one query")


@dataclass(frozen=True)
class _Column:
    """The columns of the board for one set of labels."""

    estimates: list[Estimate]
    ranks: npt.NDArray[np.int64]
    answered: Values
    standings: Values


def draw_board(given: BoardInput, *, seed: int, trials: int = TRIALS, level: float = LEVEL) -> Board:
    """Return the board, with bootstrap intervals from ``seed``. Both sets of labels share the resamples.

    A query is answered if its value is neither 0 nor missing. Runs with equal means share a rank.
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
    """Return the agreement over the runs that have a value under both."""
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
    """Return the ranks of the runs among themselves, then the rank that the perfect run (the last one) would have."""
    runs, perfect = standings[:-1], standings[-1]
    return np.append(competition_ranks(runs), 1 + int((runs > perfect).sum()))


def standing_out(rows: Sequence[BoardRow], count: int = 5) -> list[BoardRow]:
    """Return the first ``count`` runs of either board, and the ``count`` that rise and fall the most.

    Each appears once, in the order of the preference board, with equal runs by tag. The perfect run is left out.
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
