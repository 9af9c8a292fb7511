"""How stable is the board? The ranks that runs would have with other queries of the same kind.

Craswell et al., *MS MARCO: benchmarking ranking models in the large-data regime* (SIGIR 2021) [MM]: the query set
is resampled with replacement to its own size, 1,000 times, and the runs are ranked in each trial. Results are how
often each run has each rank, its expected rank, and the table of the top five. Runs with equal means share the
better rank (1, 2, 2, 4), as on the board. The ranks of a trial with ties add up to less than without ties, so the
share of trials with ties is reported too.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leaderboard.scoring.agreement import competition_ranks
from leaderboard.scoring.intervals import TRIALS, resampled_means

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

TOP = 5
# Means of non-integer values count as equal if they agree to this many decimals.
DECIMALS = 12


@dataclass(frozen=True)
class Stability:
    """The distribution of each run's rank over the trials.

    ``held[i, r]`` is the number of trials in which run i had rank r + 1. ``means`` and ``ranks`` are the runs' means
    and ranks on the original queries. ``tied_trials`` is the number of trials in which any two runs tied.
    """

    run_tags: tuple[str, ...]
    queries: int
    trials: int
    means: Floats
    ranks: Whole
    held: Whole
    tied_trials: int

    @property
    def shares(self) -> Floats:
        """The share of trials in which each run had each rank, shape (runs, ranks); rows sum to 1."""
        return self.held / self.trials

    @property
    def expected(self) -> Floats:
        """Each run's mean rank over the trials."""
        places = np.arange(1, len(self.run_tags) + 1, dtype=np.float64)
        expected: Floats = self.held @ places / self.trials
        return expected

    def order(self) -> list[int]:
        """Return the indexes of the runs in the order of the board: by rank, then expected rank, then tag."""
        expected = self.expected
        return sorted(range(len(self.run_tags)), key=lambda i: (self.ranks[i], expected[i], self.run_tags[i]))

    def bounds(self, level: float = 0.95) -> tuple[Whole, Whole]:
        """Return the best and the worst rank of each run within the middle ``level`` of its trials."""
        reached = np.cumsum(self.held, axis=1)
        low, high = (self.trials * share for share in ((1 - level) / 2, (1 + level) / 2))
        return (reached <= low).sum(axis=1) + 1, (reached < high).sum(axis=1) + 1


def rank_stability(
    run_tags: list[str],
    values: Floats,
    *,
    rng: np.random.Generator,
    trials: int = TRIALS,
    whole: int | None = None,
    higher_is_better: bool = True,
) -> Stability:
    """Return how often each run has each rank over ``trials`` resamples of the queries.

    ``values`` has the shape (runs, queries). With ``whole`` (2520 for RR@10), values times ``whole`` are integers and
    sums are exact, so that equal runs tie. Raises ValueError if there are no runs or no queries.
    """
    if not values.size or len(values) != len(run_tags):
        raise ValueError(f"a value for each run and query is needed, not {values.shape}")
    direction = 1.0 if higher_is_better else -1.0
    means = _exact_means(resampled_means(direction * values, rng=rng, trials=trials, whole=whole), whole)
    own = _exact_means(direction * values.mean(axis=1, keepdims=True), whole, values.shape[1])
    ranks = ranks_by_column(means)
    held = np.stack([np.bincount(row, minlength=len(run_tags) + 1)[1:] for row in ranks])
    ordered = np.sort(means, axis=0)
    return Stability(
        run_tags=tuple(run_tags),
        queries=values.shape[1],
        trials=trials,
        means=direction * own[:, 0],
        ranks=ranks_by_column(own)[:, 0],
        held=held.astype(np.int64),
        tied_trials=int((ordered[1:] == ordered[:-1]).any(axis=0).sum()),
    )


def ranks_by_column(values: Floats) -> Whole:
    """Return ranks from 1 within each column, the largest first; equal values share the better rank."""
    return np.stack([competition_ranks(column) for column in values.T], axis=1)


def _exact_means(means: Floats, whole: int | None, queries: int = 0) -> Floats:
    """Return means without rounding errors, so that equal runs tie.

    ``queries`` is the number of queries behind each mean, or 0 for resampled means. With ``whole``, these come from
    exact sums and are returned unchanged.
    """
    if whole is None:
        return np.round(means, DECIMALS)
    return np.rint(means * whole * queries) / (whole * queries) if queries else means
