"""Label noise: how much of a value depends on who happened to judge.

Two kinds of intervals, both percentile bootstraps (Efron & Tibshirani 1993, ch. 13) of preference MRR@10:

- *queries*: the queries are resampled, and the best answers stay the same (leaderboard/scoring/intervals.py);
- *labels*: the judgments are resampled too, best answers are derived again by the tournament's own rules, and the
  runs are scored with them. Known workers are drawn with all of their judgments, because one person's judgments
  are correlated. Judgments of unknown workers are drawn one by one, and each query keeps its number of them.

In a resample, some pairs have no judgment; the tournament treats them like pairs not judged yet. In a challenge, the
passage ahead in the drawn judgments wins. Where none was drawn, the best answer keeps its place. A query without any
judgment in a trial (and with more than one passage) is left out of every mean of that trial. Resampled judgments are
noisier than the originals. So the mean of the trials (``center``) is below the value of a run whose answers won
narrowly; it is shown beside the interval. The difference of two runs is computed within each trial.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from leaderboard.analyses.shared.contenders import NOWHERE, Contenders, Flags, Integers
from leaderboard.analyses.shared.proportions import Floats
from leaderboard.scoring.intervals import LEVEL, TRIALS, resample_counts, resampled_means
from leaderboard.scoring.scales import WHOLE
from tournament.contests import Contest
from tournament.copeland import best_of_queries
from tournament.derivation import CountedJudgments, Entrants, Parameters, derive
from tournament.pair_wins import tally, wins_of_pairs

UNKNOWN = -1
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Evidence:
    """The data from which best answers are derived.

    ``worker`` has a code from 0 for the worker of each judgment, or UNKNOWN; shape (judgments,).
    """

    entrants: Entrants
    judged: CountedJudgments
    contests: Sequence[Contest]
    parameters: Parameters
    worker: Integers

    def best(self, contenders: Contenders, rows: Integers | None = None) -> Flags:
        """Return which nodes are best answers, by all judgments or by a draw: ``rows``, each time they occur."""
        judged = self.judged if rows is None else self.judged.only(rows)
        parameters = replace(self.parameters, resampled=rows is not None)
        return contenders.best(derive(self.entrants, judged, self.contests, parameters).outcomes)


class FirstRound:
    """A tournament prepared once for many resamples: a faster :func:`derive` for campaigns without challenges.

    Requires that its passages are exactly the contenders' nodes, which :func:`prepared_first_round` checks.
    """

    def __init__(self, contenders: Contenders, evidence: Evidence) -> None:
        self.left, self.right, self.preferred = contenders.nodes_of(evidence.judged)
        self.known = (self.left != NOWHERE) & (self.right != NOWHERE) & (evidence.judged.round == 0)
        self.starts, self.size = contenders.starts, len(contenders.query)
        self.lengths = np.diff(np.append(self.starts, self.size))
        self.parameters = evidence.parameters

    def best(self, rows: Integers) -> Flags:
        """Return which nodes are best answers by the judgments in ``rows``.

        A query without judgments in ``rows`` has no best answer, unless it is a singleton.
        """
        rows = rows[self.known[rows]]
        counts = tally(self.left[rows], self.right[rows], self.preferred[rows])
        largest = int(self.lengths.max(initial=1))
        wins = wins_of_pairs(counts, count=self.parameters.count, largest=largest)
        standings = best_of_queries(self.starts, self.size, wins, ties=self.parameters.ties)
        said = np.maximum.reduceat(standings.wins, self.starts) > 0
        decided = said.astype(bool) | (self.lengths == 1)
        best: Flags = standings.best & np.repeat(decided, self.lengths)
        return best


def prepared_first_round(contenders: Contenders, evidence: Evidence) -> FirstRound | None:
    """Return the faster tournament, or None if there are challenges or its passages are not the contenders' nodes."""
    entrants = evidence.entrants
    keys = np.unique(np.stack([entrants.query, entrants.representative]), axis=1)
    same = np.array_equal(keys, np.stack([contenders.query, contenders.passage]))
    return FirstRound(contenders, evidence) if same and not evidence.contests else None


# In a trial, about one query in a million is drawn more often than this. Its further copies reuse these draws.
COPIES = 8


@dataclass(frozen=True)
class Spread:
    """The bounds of one interval, and the mean over its trials (``center``)."""

    low: float
    high: float
    center: float


@dataclass(frozen=True)
class NoiseRow:
    """One run's value and its difference from (minus) the reference run, with both kinds of intervals."""

    run: str
    value: float
    queries: Spread
    labels: Spread
    difference: float
    difference_queries: Spread
    difference_labels: Spread


@dataclass(frozen=True)
class LabelNoise:
    """The rows of all runs, best first (equal values by tag), and the settings of the analysis."""

    rows: tuple[NoiseRow, ...]
    reference: str
    queries: int
    workers: int
    trials: int
    level: float


def resampled_rows(judged: CountedJudgments, worker: Integers, rng: np.random.Generator) -> Integers:
    """Draw one resample and return the row indexes of its judgments.

    Known workers are drawn with all of their judgments. Judgments of unknown workers are drawn within their query.
    """
    known = worker != UNKNOWN
    workers = int(worker.max(initial=UNKNOWN)) + 1
    times = np.bincount(rng.integers(0, workers, workers), minlength=workers) if workers else np.zeros(1)
    of_workers = np.repeat(np.flatnonzero(known), times[worker[known]].astype(np.int64))
    return np.concatenate([of_workers, _within_queries(judged.query, np.flatnonzero(~known), rng)])


def _within_queries(query: Integers, rows: Integers, rng: np.random.Generator) -> Integers:
    """Resample ``rows`` with replacement within each query, which keeps its number of rows."""
    rows = rows[np.argsort(query[rows], kind="stable")]
    _, starts, counts = np.unique(query[rows], return_index=True, return_counts=True)
    first, size = np.repeat(starts, counts), np.repeat(counts, counts)
    return rows[first + rng.integers(0, size)] if len(rows) else rows


def label_trials(
    contenders: Contenders,
    evidence: Evidence,
    covered: Flags,
    *,
    rng: np.random.Generator,
    trials: int = TRIALS,
    progress: Progress | None = None,
) -> Floats:
    """Return MRR@10 with queries and judgments resampled, shape (runs, trials); NaN if a trial covers no query.

    If a query is drawn twice, each copy uses another draw of judgments: this trial's or one of an earlier trial. If
    any worker is known, all copies use this trial's draw, because workers are drawn once for all queries.
    """
    means = np.full((len(contenders.run_tags), trials), np.nan)
    columns = np.flatnonzero(covered)
    fast = prepared_first_round(contenders, evidence)
    copies = COPIES if (evidence.worker == UNKNOWN).all() else 1
    draws: deque[tuple[Integers, Flags]] = deque(maxlen=copies)
    for trial in range(1 - copies, trials):
        rows = resampled_rows(evidence.judged, evidence.worker, rng)
        best = fast.best(rows) if fast else evidence.best(contenders, rows)
        draws.appendleft((contenders.values(best)[:, columns], contenders.covered(best)[columns]))
        if trial < 0:
            continue
        total, counted = _drawn_total(draws, resample_counts(len(columns), 1, rng)[0])
        if counted:
            means[:, trial] = total / (WHOLE * counted)
        if progress:
            progress(trial + 1, trials)
    return means


def _drawn_total(draws: Sequence[tuple[Integers, Flags]], drawn: Floats) -> tuple[Floats, int]:
    """Return each run's sum of values over the drawn copies of queries, and how many copies have a best answer.

    ``drawn`` is the number of copies of each query. The copies of a query use the draws in turn.
    """
    total, counted = np.zeros(len(draws[0][0])), 0
    for place, (values, covered) in enumerate(draws):
        times = (drawn + len(draws) - 1 - place) // len(draws) * covered
        held = np.flatnonzero(times)
        total += values[:, held] @ times[held]
        counted += int(times.sum())
    return total, counted


def label_noise(
    contenders: Contenders,
    evidence: Evidence,
    *,
    reference: str | None = None,
    among: Flags | None = None,
    seed: int,
    trials: int = TRIALS,
    level: float = LEVEL,
    progress: Progress | None = None,
) -> LabelNoise:
    """Return both intervals for the MRR@10 of every run and for its difference from ``reference``.

    The default reference is the best run. ``among`` has a flag per query; means cover only queries with a true flag.
    Raises ValueError if there is no run, if no query has a best answer, or if the reference is not a run.
    """
    best = evidence.best(contenders)
    covered = contenders.covered(best) & (True if among is None else among)
    if not covered.any() or not contenders.run_tags:
        raise ValueError("there is no run, or no query with a best answer")
    values = contenders.values(best)[:, covered]
    total = values.sum(axis=1)
    order = sorted(range(len(total)), key=lambda run: (-int(total[run]), contenders.run_tags[run]))
    base = order[0] if reference is None else contenders.run_tags.index(reference)
    by_queries = resampled_means(
        values / WHOLE, rng=np.random.default_rng([seed, 0]), trials=trials, whole=WHOLE
    )
    by_labels = label_trials(
        contenders, evidence, covered, rng=np.random.default_rng([seed, 1]), trials=trials, progress=progress
    )
    means = total / (WHOLE * values.shape[1])

    def row(run: int) -> NoiseRow:
        return NoiseRow(
            run=contenders.run_tags[run],
            value=float(means[run]),
            queries=_spread_of_trials(by_queries[run], level),
            labels=_spread_of_trials(by_labels[run], level),
            difference=float(means[run] - means[base]),
            difference_queries=_spread_of_trials(by_queries[run] - by_queries[base], level),
            difference_labels=_spread_of_trials(by_labels[run] - by_labels[base], level),
        )

    return LabelNoise(
        rows=tuple(map(row, order)),
        reference=contenders.run_tags[base],
        queries=int(covered.sum()),
        workers=len(np.unique(evidence.worker[evidence.worker != UNKNOWN])),
        trials=trials,
        level=level,
    )


def _spread_of_trials(trials: Floats, level: float) -> Spread:
    known = trials[~np.isnan(trials)]
    if not len(known):
        return Spread(np.nan, np.nan, np.nan)
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Spread(float(low), float(high), float(known.mean()))
