"""The board: runs ranked under official and preference qrels, with intervals, ranks and shifts.

[SP] Table 3 shows MRR@10 under both kinds of qrels side by side and adds the perfect run. This run returns the
official qrel of every query at rank 1 and nothing else. Its MRR@10 is 1 under official qrels. Under preference qrels
it is the share of queries whose official qrel is a best answer. The table shows the rank that the perfect run would
have among the runs. The perfect run does not affect other ranks or correlations. A board can use any measure.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from leaderboard.output import Kind
from leaderboard.output.numbers import number_text
from leaderboard.scoring.agreement import Agreement, competition_ranks, kendall
from leaderboard.scoring.intervals import LEVEL, TRIALS, intervals_of, resampled_means
from leaderboard.scoring.rank_ranges import rank_ranges
from leaderboard.scoring.scales import Scale

DEPTH = 10
PERFECT = "perfect run"

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Standing:
    """A run's results under one set of labels: its mean over queries with an interval, and its rank.

    The mean and its bounds are nan if the measure has no value for any query. ``first`` and ``last`` are the ends of
    the range of ranks (``rank_ranges``), which the perfect run does not have. ``answered`` is the share of queries
    with a value above 0; None if values are rounded (``leaderboard.board.rounding``).
    """

    value: float
    low: float
    high: float
    rank: int
    answered: float | None
    first: int | None = None
    last: int | None = None

    @property
    def estimate(self) -> tuple[float, float, float]:
        """The mean and its bounds."""
        return self.value, self.low, self.high


@dataclass(frozen=True)
class BoardRow:
    """One run on the board, with its results under official qrels and, if there is a version, preference qrels."""

    run: str
    official: Standing
    preference: Standing | None = None
    judged_tops: float | None = None
    """The share of queries, 0 to 1, whose top passage of this run was judged."""
    perfect: bool = False
    returned_tops: float = 1.0
    """The share of queries, 0 to 1, for which this run returned a passage."""

    @property
    def unjudged_tops(self) -> float:
        """The share of queries, 0 to 1, with a top passage of this run that was not judged."""
        return self.returned_tops - (self.judged_tops or 0.0)

    @property
    def leading(self) -> Standing:
        """The results by which the board is ordered: under preference qrels if there are any, else official ones."""
        return self.preference or self.official

    @property
    def shift(self) -> int | None:
        """By how many ranks preference qrels move the run up (negative: down); None without a version."""
        return None if self.preference is None else self.official.rank - self.preference.rank


def best_as_shown(rows: Sequence[BoardRow], side: str) -> frozenset[str]:
    """Return the tags of the runs whose shown value equals that of the first run, under one set of labels.

    ``side`` is ``official`` or ``preference``.
    """
    ranked: dict[str, Standing] = {row.run: getattr(row, side) for row in rows if not row.perfect}
    shown = {run: number_text(one.value, Kind.MEASURE) for run, one in ranked.items()}
    best = {shown[run] for run, one in ranked.items() if one.rank == 1 and not math.isnan(one.value)}
    return frozenset(run for run, text in shown.items() if text in best)


@dataclass(frozen=True)
class Board:
    """A board: its rows, best first. Rows of equal rank are in order of run tags, after the perfect run."""

    queries: int
    rows: tuple[BoardRow, ...]
    agreement: Agreement | None
    """How well the official and the preference order agree; None without a version."""
    trials: int
    level: float
    seed: int


@dataclass(frozen=True)
class BoardInput:
    """Input of a board: arrays over the same queries in the same order, shape (runs + 1, queries).

    ``official`` and ``preference`` have the measure's values. ``judged`` is 1 where the run's top passage was judged,
    else 0; ``returned`` is 1 where it has a top passage, else 0 (None: it has one everywhere). The last row of each
    array belongs to the perfect run. A board of official labels alone has neither ``preference`` nor ``judged``, and
    no row for the perfect run. Raises ValueError if there are no queries.
    """

    run_tags: list[str]
    official: Values
    preference: Values | None = None
    judged: Values | None = None
    scale: Scale = field(default_factory=Scale)
    returned: Values | None = None

    def __post_init__(self) -> None:
        if (self.preference is None) != (self.judged is None):
            raise ValueError("preferences and judged tops must be given together")
        shape = (len(self.tags), self.official.shape[-1])
        tops = [given for given in (self.judged, self.returned) if given is not None]
        if any(given.shape != shape for given in (*self.sides, *tops)):
            raise ValueError("every array needs a row for each run and one for the perfect run")
        if shape[1] == 0:
            raise ValueError("a board needs at least one query")

    @property
    def tags(self) -> list[str]:
        """The name of every row: run tags, and the perfect run last if it has a row."""
        return self.run_tags if self.preference is None else [*self.run_tags, PERFECT]

    @property
    def sides(self) -> list[Values]:
        """The arrays of values: official, then preference if given."""
        return [self.official] if self.preference is None else [self.official, self.preference]


def draw_board(given: BoardInput, *, seed: int, trials: int = TRIALS, level: float = LEVEL) -> Board:
    """Return the board, with bootstrap intervals drawn with ``seed``. Both sets of labels share the resamples.

    A query counts as answered if its value is neither 0 nor missing. Runs with equal means share a rank.
    """
    count, queries = given.official.shape
    resampled = resampled_means(
        np.vstack(given.sides), rng=np.random.default_rng(seed), trials=trials, whole=given.scale.whole
    )
    ranked = len(given.run_tags)
    sides = [
        _row_standings(values, given.scale, resampled[side * count : (side + 1) * count], ranked, level)
        for side, values in enumerate(given.sides)
    ]
    judged = [None] * count if given.judged is None else given.judged.mean(axis=1).tolist()
    returned = [1.0] * count if given.returned is None else given.returned.mean(axis=1).tolist()
    official, preference = sides[0], sides[1] if len(sides) > 1 else [None] * count
    columns = zip(given.tags, official, preference, judged, strict=True)
    rows = [
        BoardRow(*cells, perfect=place >= ranked, returned_tops=returned[place])
        for place, cells in enumerate(columns)
    ]
    return Board(
        queries=queries,
        rows=tuple(sorted(rows, key=lambda row: (row.leading.rank, not row.perfect, row.run))),
        agreement=None if given.preference is None else _agreement_of_orders(given, ranked),
        trials=trials,
        level=level,
        seed=seed,
    )


def _agreement_of_orders(given: BoardInput, ranked: int) -> Agreement:
    """Return the agreement of the official and the preference order, over runs with a value under both."""
    official, preference = (given.scale.standings(values)[:ranked] for values in given.sides)
    both = np.isfinite(official) & np.isfinite(preference)
    return kendall(official[both], preference[both])


def _row_standings(
    values: Values, scale: Scale, resampled: Values, ranked: int, level: float
) -> list[Standing]:
    """Return the results of every row. Rows from index ``ranked`` on are compared with the runs but not ranked."""
    means = scale.means(values)
    bounds = intervals_of(resampled, level=level)
    ranks = _ranks_with_perfect(scale.standings(values), ranked)
    direction = 1 if scale.higher_is_better else -1
    ranges = rank_ranges(
        direction * means[:ranked], direction * resampled[:ranked], queries=values.shape[1], level=level
    )
    answered = (np.nan_to_num(values) > 0).mean(axis=1)
    return [
        Standing(
            value=float(means[place]),
            low=float(bounds.low[place]),
            high=float(bounds.high[place]),
            rank=int(ranks[place]),
            answered=float(answered[place]),
            first=int(ranges.first[place]) if place < ranked else None,
            last=int(ranges.last[place]) if place < ranked else None,
        )
        for place in range(len(values))
    ]


def _ranks_with_perfect(standings: Values, ranked: int) -> npt.NDArray[np.int64]:
    """Return the ranks of the first ``ranked`` rows, then the rank that each further row would have among them."""
    runs, further = standings[:ranked], standings[ranked:]
    return np.append(competition_ranks(runs), [1 + int((runs > one).sum()) for one in further]).astype(
        np.int64
    )


def able_to_pass(rows: Sequence[BoardRow]) -> dict[str, int]:
    """Return run tag → number of runs that would overtake it if all their unjudged top passages were best answers.

    A query whose top passage is a best answer has the value 1. So a run's mean can grow by at most its share of
    unjudged top passages. A query for which it returned nothing cannot grow. Runs that no other run can overtake are
    left out.
    """
    runs = [row for row in rows if not row.perfect and row.judged_tops is not None]
    values = np.array([row.leading.value for row in runs])
    unjudged = np.array([row.unjudged_tops for row in runs])
    most = values + unjudged
    ranks = np.array([row.leading.rank for row in runs], dtype=np.int64)
    passing = (unjudged > 0) & (ranks > ranks[:, None]) & (most > values[:, None])
    counts = passing.sum(axis=1).tolist()
    return {row.run: number for row, number in zip(runs, counts, strict=True) if number}


def standing_out(rows: Sequence[BoardRow], count: int = 5) -> list[BoardRow]:
    """Return the rows of the runs that stand out: the best, and those that rise or fall most.

    Takes the first ``count`` runs of each board, the ``count`` that rise most and the ``count`` that fall most. Each
    run appears once, in the order of the preference board, with equal runs by tag. The perfect run is left out.
    """
    runs = sorted((row for row in rows if not row.perfect), key=lambda row: row.run)
    orders = (
        sorted(runs, key=lambda row: row.leading.rank)[:count],
        sorted(runs, key=lambda row: row.official.rank)[:count],
        sorted((row for row in runs if (row.shift or 0) > 0), key=lambda row: -(row.shift or 0))[:count],
        sorted((row for row in runs if (row.shift or 0) < 0), key=lambda row: row.shift or 0)[:count],
    )
    chosen = {row.run for order in orders for row in order}
    return sorted((row for row in runs if row.run in chosen), key=lambda row: row.leading.rank)
