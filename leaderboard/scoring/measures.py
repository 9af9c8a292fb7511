"""Measures of a run against labels, named as in ir_measures: ``RR@10``, ``nDCG@10``, ``AP(rel=2)``.

A measure gets the rank of each labeled passage in the run, for all queries at once, and returns one value per query.
Measures of trec_eval 9.0.4 have its definitions and its order of float operations, with one exception. A query
without a relevant label, or without any line in the run, is not left out, but gets the measure's value for unanswered
queries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Values = NDArray[np.float64]


@dataclass(frozen=True)
class RankedLabels:
    """The labels of a set of queries, and the ranks of their passages in one run.

    ``query``, ``grade`` and ``rank`` have one entry per label. ``query`` counts from 0 to ``queries`` - 1. ``rank``
    counts from 1, and is 0 for a passage that is not in the run.
    """

    queries: int
    query: Whole
    grade: Whole
    rank: Whole
    known: dict[Measure, Values] = field(default_factory=dict, compare=False, repr=False)
    """Cached results that depend only on the labels. ``replace(judged, rank=...)`` keeps them for the next run."""


@dataclass(frozen=True)
class Measure:
    """A measure. Without a ``cutoff``, it uses the whole ranking. Grades of at least ``rel`` are relevant."""

    cutoff: int | None = None
    rel: int = 1

    letters: ClassVar[str] = ""
    words: ClassVar[str] = ""
    """A description of a query's value. "The first k ranks" are the first ``cutoff`` ranks."""
    averaged: ClassVar[bool] = False
    """Whether the mean has a name of its own: MRR, MAP."""
    higher_is_better: ClassVar[bool] = True
    unanswered: ClassVar[float] = 0.0
    """The value of a query without a relevant passage in the ranks considered: the worst value, or nan if the
    measure is defined only for answered queries."""
    needs_cutoff: ClassVar[bool] = False
    takes_cutoff: ClassVar[bool] = True
    graded: ClassVar[bool] = False
    """Whether the measure uses the grades themselves, so that a qrel set's lowest relevant grade does not apply."""
    most_grade: ClassVar[int | None] = None
    """The highest grade for which the measure is defined; None for any grade."""
    ordinal: ClassVar[bool] = False
    """Whether the measure uses only the order of grades, so that levels of preference are enough."""

    @property
    def name(self) -> str:
        """The measure's name as in ir_measures."""
        relevant = f"(rel={self.rel})" if self.rel != 1 else ""
        return f"{self.letters}{relevant}" + (f"@{self.cutoff}" if self.cutoff else "")

    @property
    def mean_name(self) -> str:
        """The name of the mean over queries: ``MRR@10``, ``nDCG@10``."""
        if not self.averaged:
            return self.name
        return f"M{self.name}"

    def __str__(self) -> str:
        return self.name

    def values(self, judged: RankedLabels) -> Values:
        """Return the value of every query, shape (queries,)."""
        raise NotImplementedError

    def mean(self, values: Values) -> float:
        """Return the mean over queries that have a value (for ESL, the answered queries); nan if there are none."""
        counted = values[~np.isnan(values)]
        return math.fsum(counted.tolist()) / len(counted) if len(counted) else math.nan

    def relevant(self, judged: RankedLabels) -> NDArray[np.bool_]:
        """Return a mask of the labels whose grade is at least ``rel``."""
        return judged.grade >= self.rel

    def seen(self, judged: RankedLabels) -> NDArray[np.bool_]:
        """Return a mask of the labels whose passage is in the run, within the cutoff if there is one."""
        found = judged.rank > 0
        return found if self.cutoff is None else found & (judged.rank <= self.cutoff)

    def first_ranks(self, judged: RankedLabels) -> Whole:
        """Return the rank of each query's first relevant passage; 0 for unanswered queries."""
        hits = self.relevant(judged) & self.seen(judged)
        nowhere = np.iinfo(np.int64).max
        first = np.full(judged.queries, nowhere)
        np.minimum.at(first, judged.query[hits], judged.rank[hits])
        first[first == nowhere] = 0
        return first

    def answered(self, judged: RankedLabels) -> NDArray[np.bool_]:
        """Return a mask of the queries with a relevant passage in the ranks considered."""
        return self.first_ranks(judged) > 0


class ReciprocalRank(Measure):
    """1 / rank of the first relevant passage."""

    letters = "RR"
    words = "1/rank of the first relevant passage"
    averaged = True

    def values(self, judged: RankedLabels) -> Values:
        first = self.first_ranks(judged)
        return np.where(first > 0, 1.0 / np.maximum(first, 1), self.unanswered)

    def mean(self, values: Values) -> float:
        """Return the mean like ``Measure.mean``. For RR@10 it is exact, because values are multiples of 1/2520."""
        unit = self.unit
        if unit is None or not len(values):
            return super().mean(values)
        return int(np.rint(values * unit).astype(np.int64).sum()) / (unit * len(values))

    @property
    def unit(self) -> int | None:
        """The factor that turns every value into an integer (2520 for RR@10); None if it is too large.

        Tests that rank differences need these integers, because differences of floats can break true ties.
        """
        if self.cutoff is None or self.cutoff > 24:
            return None
        return math.lcm(*range(1, self.cutoff + 1))


class AveragePrecision(Measure):
    """The mean, over a query's relevant passages, of the precision at the passage's rank (0 if not found)."""

    letters = "AP"
    words = "the mean, over all relevant passages, of the precision at each one's rank"
    averaged = True

    def values(self, judged: RankedLabels) -> Values:
        relevant = self.relevant(judged)
        hits = np.flatnonzero(relevant & self.seen(judged))
        hits = hits[np.lexsort((judged.rank[hits], judged.query[hits]))]
        query = judged.query[hits]
        begins = np.searchsorted(query, query)  # index of the first hit of each hit's query
        precision = (np.arange(len(hits)) - begins + 1) / judged.rank[hits]
        total = np.bincount(query, weights=precision, minlength=judged.queries)
        wanted = np.bincount(judged.query[relevant], minlength=judged.queries)
        mean: Values = total / np.maximum(wanted, 1)
        return mean


class Precision(Measure):
    """The share of the first k ranks that have a relevant passage."""

    letters = "P"
    words = "the share of the first k ranks with a relevant passage"
    needs_cutoff = True

    def values(self, judged: RankedLabels) -> Values:
        assert self.cutoff is not None
        hits = self.relevant(judged) & self.seen(judged)
        return np.bincount(judged.query[hits], minlength=judged.queries) / self.cutoff


class Recall(Measure):
    """The share of a query's relevant passages that are in the first k ranks, as in trec_eval's recall."""

    letters = "R"
    words = "the share of the relevant passages that are in the first k ranks"
    needs_cutoff = True

    def values(self, judged: RankedLabels) -> Values:
        relevant = self.relevant(judged)
        found = np.bincount(judged.query[relevant & self.seen(judged)], minlength=judged.queries)
        wanted = np.bincount(judged.query[relevant], minlength=judged.queries)
        share: Values = found / np.maximum(wanted, 1)
        return share


class Success(Measure):
    """1 if a relevant passage is in the first k ranks, else 0."""

    letters = "Success"
    words = "1 if a relevant passage is in the first k ranks, else 0"
    needs_cutoff = True

    def values(self, judged: RankedLabels) -> Values:
        return self.answered(judged).astype(np.float64)


class DiscountedGain(Measure):
    """Normalized discounted cumulative gain with linear gain and log2(rank + 1), as in trec_eval's ndcg_cut.

    The gain is the grade (0 if below 1 or below ``rel``).
    """

    letters = "nDCG"
    words = (
        "the sum of the grades found, each divided by log2(rank + 1), as a share of the largest possible sum"
    )
    graded = True

    def values(self, judged: RankedLabels) -> Values:
        gain = np.where(self.relevant(judged), np.maximum(judged.grade, 0), 0)
        seen = self.seen(judged)
        if self not in judged.known:
            judged.known[self] = self._ideal(judged, gain)
        ideal = judged.known[self]
        reached = self._total_gain(judged.query[seen], gain[seen], judged.rank[seen], judged.queries)
        return np.divide(reached, ideal, out=np.zeros(judged.queries), where=ideal > 0)

    def _ideal(self, judged: RankedLabels, gain: Whole) -> Values:
        order = np.lexsort((-gain, judged.query))
        query = judged.query[order]
        rank = np.arange(len(query)) - np.searchsorted(query, query) + 1
        kept = rank <= (self.cutoff or len(query))
        return self._total_gain(query[kept], gain[order][kept], rank[kept], judged.queries)

    def _total_gain(self, query: Whole, gain: Whole, rank: Whole, queries: int) -> Values:
        """Return each query's sum of discounted gains, from the query, gain and rank of each passage found."""
        # Gains are summed in order of rank, as in trec_eval, so that the last digits agree.
        order = np.argsort(rank, kind="stable")
        discounted = (gain / np.log2(rank + 1))[order]
        return np.bincount(query[order], weights=discounted, minlength=queries).astype(np.float64)


class CumulativeGain(DiscountedGain):
    """The sum of the gains in the first k ranks, divided by the largest possible sum.

    Gains are those of nDCG, without its discount. This is NCG@100 of the TREC Deep Learning track [DL]: how much gain
    a first stage offers to a re-ranker.
    """

    letters = "NCG"
    words = "the sum of the grades in the first k ranks, as a share of the largest possible sum"
    needs_cutoff = True

    def _total_gain(self, query: Whole, gain: Whole, rank: Whole, queries: int) -> Values:
        return np.bincount(query, gain, queries).astype(np.float64)


class ExpectedReciprocalRank(Measure):
    """The expected 1 / rank of the passage at which a reader stops, as in gdeval.pl of TREC's Web track.

    Chapelle, Metzler, Zhang & Grinspan (CIKM 2009) [CMZ]: a reader who reaches a passage of grade g stops there with
    probability (2^g - 1) / 2^4. The highest grade is 4, whatever grades the labels have, so that values of different
    collections are comparable.
    """

    letters = "ERR"
    words = "the expected 1/rank at which a reader stops, with higher chances to stop at higher grades"
    needs_cutoff = True
    graded = True
    most_grade: ClassVar[int | None] = 4

    def values(self, judged: RankedLabels) -> Values:
        hits = np.flatnonzero(self.relevant(judged) & (judged.grade > 0) & self.seen(judged))
        hits = hits[np.lexsort((judged.rank[hits], judged.query[hits]))]
        query = judged.query[hits]
        place = np.arange(len(query)) - np.searchsorted(query, query)
        stops = (2.0 ** judged.grade[hits] - 1) / 2.0**4
        expected, goes_on = np.zeros(judged.queries), np.ones(judged.queries)
        for number in range(int(place.max(initial=-1)) + 1):
            here = place == number
            expected[query[here]] += goes_on[query[here]] * stops[here] / judged.rank[hits][here]
            goes_on[query[here]] *= 1 - stops[here]
        return expected


@dataclass(frozen=True)
class Compatibility(Measure):
    """The rank-biased overlap of the run with its nearest ideal ranking, divided by the best possible value.

    Clarke, Vtyurina & Smucker (TOIS 2021; "Assessing Top-k Preferences") [CVS], with the choices of their code. The
    ideal ranking has the passages of grade ``rel`` (by default 1) and higher, ordered by grade, and equal grades in
    the run's own order. Overlap is measured to depth 1,000 with persistence ``p``. Grades are levels of preference:
    only their order matters. ir_measures stops at the longer of the two rankings, which changes the last digits.
    """

    p: float = 0.95

    letters = "Compat"
    words = "the rank-biased overlap with the nearest ideal ranking, as a share of the best possible value"
    takes_cutoff = False
    graded = True
    ordinal = True
    depth: ClassVar[int] = 1000

    @property
    def name(self) -> str:
        return f"Compat(p={self.p}{f',rel={self.rel}' if self.rel != 1 else ''})"

    def values(self, judged: RankedLabels) -> Values:
        level = np.flatnonzero(self.relevant(judged) & (judged.grade > 0))
        query = judged.query[level]
        nowhere = np.iinfo(np.int64).max
        rank = np.where(judged.rank[level] > 0, judged.rank[level], nowhere)
        order = np.lexsort((rank, -judged.grade[level], query))
        query, rank = query[order], rank[order]
        place = np.arange(len(query)) - np.searchsorted(query, query) + 1
        # From the deeper of its two ranks on, a passage is in both rankings.
        best = np.bincount(query, self._weight(place), judged.queries)
        reached = np.bincount(query, self._weight(np.maximum(place, rank)), judged.queries)
        return np.divide(reached, best, out=np.zeros(judged.queries), where=best > 0)

    def _weight(self, place: Whole) -> Values:
        """Return what a passage in both rankings adds from this rank to the full depth: the sum of p^(i - 1) / i."""
        places = np.arange(1, self.depth + 1)
        tail = np.append(np.cumsum((self.p ** (places - 1) / places)[::-1])[::-1], 0.0)
        weight: Values = tail[np.minimum(place, self.depth + 1) - 1]
        return weight


class ExpectedSearchLength(Measure):
    """The rank of the first relevant passage, only for answered queries. Lower is better.

    Lin et al. (SIGIR 2021) [SI], Table 2: report it together with the share of answered queries.
    """

    letters = "ESL"
    words = (
        "the rank of the first relevant passage, over answered queries only: read it together with the share "
        "answered"
    )
    higher_is_better = False
    unanswered = math.nan

    def values(self, judged: RankedLabels) -> Values:
        first = self.first_ranks(judged)
        return np.where(first > 0, first.astype(np.float64), self.unanswered)


MEASURES: dict[str, type[Measure]] = {
    kind.letters: kind
    for kind in (
        ReciprocalRank,
        AveragePrecision,
        Precision,
        Recall,
        DiscountedGain,
        CumulativeGain,
        ExpectedReciprocalRank,
        Success,
        ExpectedSearchLength,
        Compatibility,
    )
}


def depth_needed(measures: Sequence[Measure]) -> int | None:
    """Return how many ranks of a run must be read to compute these measures; None for all ranks."""
    cutoffs = [measure.cutoff for measure in measures]
    return None if None in cutoffs else max((cutoff for cutoff in cutoffs if cutoff is not None), default=0)
