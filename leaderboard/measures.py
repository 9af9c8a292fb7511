"""Measures of a run against labels, named as ir_measures names them: ``RR@10``, ``nDCG@10``, ``AP(rel=2)``.

A measure sees where each label's passage stands in the run, all queries at once, and gives one value per
query. Definitions and float order are trec_eval 9.0.4's, except that a query without any label or without
any line in the run is not left out: it gets the measure's value for unanswered queries.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from leaderboard.errors import UnknownMeasure

Whole = NDArray[np.int64]
Values = NDArray[np.float64]


KNOWN = (
    "Measures are RR, RR@k, AP, P@k, nDCG, nDCG@k, NCG@k, Success@k, ESL@k and Compat(p=0.95); (rel=g) after "
    "the name asks for a grade of at least g, as in AP(rel=2)."
)


@dataclass(frozen=True)
class Judged:
    """The labels of a set of queries and where their passages stand in one run.

    ``query``, ``grade`` and ``rank`` have one entry a label; ``query`` counts from 0 to ``queries`` - 1,
    ``rank`` from 1, and is 0 for a passage that the run does not have.
    """

    queries: int
    query: Whole
    grade: Whole
    rank: Whole
    known: dict[Measure, Values] = field(default_factory=dict, compare=False, repr=False)
    """What measures worked out from the labels alone; ``replace(judged, rank=...)`` keeps it for the next run."""


@dataclass(frozen=True)
class Measure:
    """One measure. ``cutoff`` None looks at the whole ranking; relevant is a grade of at least ``rel``."""

    cutoff: int | None = None
    rel: int = 1

    letters: ClassVar[str] = ""
    words: ClassVar[str] = ""
    """What the value of a query is; "the first k" are the places looked at."""
    averaged: ClassVar[bool] = False
    """Whether the mean has a name of its own: MRR, MAP."""
    higher_is_better: ClassVar[bool] = True
    unanswered: ClassVar[float] = 0.0
    """The value of a query without a relevant passage among the places looked at: the worst there is, or
    nan where the measure is defined over answered queries only."""
    needs_cutoff: ClassVar[bool] = False
    takes_cutoff: ClassVar[bool] = True
    graded: ClassVar[bool] = False
    """Whether it looks at grades themselves, so that a qrel set's threshold does not apply to it."""
    ordinal: ClassVar[bool] = False
    """Whether it looks at nothing but the order of grades, so that levels of preference do for it."""

    @property
    def name(self) -> str:
        """The name as ir_measures writes it."""
        relevant = f"(rel={self.rel})" if self.rel != 1 else ""
        return f"{self.letters}{relevant}" + (f"@{self.cutoff}" if self.cutoff else "")

    @property
    def mean_name(self) -> str:
        """What a mean over queries is called: ``MRR@10``, ``nDCG@10``."""
        if not self.averaged:
            return self.name
        return f"M{self.name}"

    def __str__(self) -> str:
        return self.name

    def values(self, judged: Judged) -> Values:
        """The value of every query. Shape (queries,)."""
        raise NotImplementedError

    def mean(self, values: Values) -> float:
        """The mean over queries; for ESL over those that are answered. nan when there are none."""
        counted = values[~np.isnan(values)]
        return math.fsum(counted.tolist()) / len(counted) if len(counted) else math.nan

    def relevant(self, judged: Judged) -> NDArray[np.bool_]:
        """Labels whose grade is high enough."""
        return judged.grade >= self.rel

    def seen(self, judged: Judged) -> NDArray[np.bool_]:
        """Labels whose passage is among the places looked at."""
        found = judged.rank > 0
        return found if self.cutoff is None else found & (judged.rank <= self.cutoff)

    def first_ranks(self, judged: Judged) -> Whole:
        """Rank of each query's first relevant passage; 0 when it is unanswered."""
        hits = self.relevant(judged) & self.seen(judged)
        nowhere = np.iinfo(np.int64).max
        first = np.full(judged.queries, nowhere)
        np.minimum.at(first, judged.query[hits], judged.rank[hits])
        first[first == nowhere] = 0
        return first

    def answered(self, judged: Judged) -> NDArray[np.bool_]:
        """Queries with a relevant passage among the places looked at."""
        return self.first_ranks(judged) > 0


class ReciprocalRank(Measure):
    """1 / rank of the first relevant passage."""

    letters = "RR"
    words = "1/rank of the first relevant passage"
    averaged = True

    def values(self, judged: Judged) -> Values:
        first = self.first_ranks(judged)
        return np.where(first > 0, 1.0 / np.maximum(first, 1), self.unanswered)

    def mean(self, values: Values) -> float:
        """As ``Measure.mean``; exact for RR@10, whose values are whole multiples of 1/2520."""
        unit = self.unit
        if unit is None or not len(values):
            return super().mean(values)
        return int(np.rint(values * unit).astype(np.int64).sum()) / (unit * len(values))

    @property
    def unit(self) -> int | None:
        """What makes every value a whole number when multiplied by it (2520 for RR@10); None if too large.

        Tests that rank differences need these integers: differences of floats part true ties.
        """
        if self.cutoff is None or self.cutoff > 24:
            return None
        return math.lcm(*range(1, self.cutoff + 1))


class AveragePrecision(Measure):
    """Mean over a query's relevant passages of the precision at each one's rank, 0 for those not found."""

    letters = "AP"
    words = "the mean, over all relevant passages, of the precision at each one's rank"
    averaged = True

    def values(self, judged: Judged) -> Values:
        relevant = self.relevant(judged)
        hits = np.flatnonzero(relevant & self.seen(judged))
        hits = hits[np.lexsort((judged.rank[hits], judged.query[hits]))]
        query = judged.query[hits]
        begins = np.searchsorted(query, query)  # where each hit's query begins
        precision = (np.arange(len(hits)) - begins + 1) / judged.rank[hits]
        total = np.bincount(query, weights=precision, minlength=judged.queries)
        wanted = np.bincount(judged.query[relevant], minlength=judged.queries)
        mean: Values = total / np.maximum(wanted, 1)
        return mean


class Precision(Measure):
    """Share of the first k places that hold a relevant passage."""

    letters = "P"
    words = "the share of the first k places that hold a relevant passage"
    needs_cutoff = True

    def values(self, judged: Judged) -> Values:
        assert self.cutoff is not None
        hits = self.relevant(judged) & self.seen(judged)
        return np.bincount(judged.query[hits], minlength=judged.queries) / self.cutoff


class Success(Measure):
    """1 when a relevant passage is among the first k places, else 0."""

    letters = "Success"
    words = "1 when a relevant passage is among the first k places, else 0"
    needs_cutoff = True

    def values(self, judged: Judged) -> Values:
        return self.answered(judged).astype(np.float64)


class DiscountedGain(Measure):
    """Normalised discounted cumulative gain with linear gain and log2(rank + 1), as trec_eval's ndcg_cut.

    The gain is the grade (none below 1, nor below ``rel``).
    """

    letters = "nDCG"
    words = "the sum of the grades found, each over log2(rank + 1), over the largest such sum"
    graded = True

    def values(self, judged: Judged) -> Values:
        gain = np.where(self.relevant(judged), np.maximum(judged.grade, 0), 0)
        seen = self.seen(judged)
        if self not in judged.known:
            judged.known[self] = self._ideal(judged, gain)
        ideal = judged.known[self]
        reached = _discounted(judged.query[seen], gain[seen], judged.rank[seen], judged.queries)
        return np.divide(reached, ideal, out=np.zeros(judged.queries), where=ideal > 0)

    def _ideal(self, judged: Judged, gain: Whole) -> Values:
        order = np.lexsort((-gain, judged.query))
        query = judged.query[order]
        rank = np.arange(len(query)) - np.searchsorted(query, query) + 1
        kept = rank <= (self.cutoff or len(query))
        return _discounted(query[kept], gain[order][kept], rank[kept], judged.queries)


def _discounted(query: Whole, gain: Whole, rank: Whole, queries: int) -> Values:
    # Summed rank by rank, as trec_eval does, so that the last digits agree.
    order = np.argsort(rank, kind="stable")
    discounted = (gain / np.log2(rank + 1))[order]
    return np.bincount(query[order], weights=discounted, minlength=queries).astype(np.float64)


class CumulativeGain(Measure):
    """Sum of the gains in the first k places over the largest such sum; gains as in nDCG, no discount.

    NCG@100 of the TREC Deep Learning track [DL]: how much a first stage leaves to a re-ranker.
    """

    letters = "NCG"
    words = "the sum of the grades in the first k places over the largest such sum"
    needs_cutoff = True
    graded = True

    def values(self, judged: Judged) -> Values:
        gain = np.where(self.relevant(judged), np.maximum(judged.grade, 0), 0)
        seen = self.seen(judged)
        if self not in judged.known:
            order = np.lexsort((-gain, judged.query))
            query = judged.query[order]
            kept = np.arange(len(query)) - np.searchsorted(query, query) < (self.cutoff or 0)
            most = np.bincount(query[kept], gain[order][kept], judged.queries)
            judged.known[self] = most.astype(np.float64)
        ideal = judged.known[self]
        reached = np.bincount(judged.query[seen], gain[seen], judged.queries)
        return np.divide(reached, ideal, out=np.zeros(judged.queries), where=ideal > 0)


@dataclass(frozen=True)
class Compatibility(Measure):
    """Rank-biased overlap of the run with the ideal ranking nearest to it, over the best there could be.

    Clarke, Vtyurina & Smucker (TOIS 2021; "Assessing Top-k Preferences") [CVS], with their code's choices: an ideal
    ranking has the passages of grade 1 and more (``rel``) by grade, equal grades in the run's own order;
    overlap is looked at to depth 1,000 with persistence ``p``. Grades are levels of preference: only their
    order matters. ir_measures stops at the longer of the two rankings, which differs in late digits.
    """

    p: float = 0.95

    letters = "Compat"
    words = "the rank-biased overlap with the nearest ideal ranking, over the best there could be"
    takes_cutoff = False
    graded = True
    ordinal = True
    depth: ClassVar[int] = 1000

    @property
    def name(self) -> str:
        return f"Compat(p={self.p}{f',rel={self.rel}' if self.rel != 1 else ''})"

    def values(self, judged: Judged) -> Values:
        level = np.flatnonzero(self.relevant(judged) & (judged.grade > 0))
        query = judged.query[level]
        nowhere = np.iinfo(np.int64).max
        rank = np.where(judged.rank[level] > 0, judged.rank[level], nowhere)
        order = np.lexsort((rank, -judged.grade[level], query))
        query, rank = query[order], rank[order]
        place = np.arange(len(query)) - np.searchsorted(query, query) + 1
        # A passage is in both rankings from the deeper of its two places on.
        best = np.bincount(query, self._weight(place), judged.queries)
        reached = np.bincount(query, self._weight(np.maximum(place, rank)), judged.queries)
        return np.divide(reached, best, out=np.zeros(judged.queries), where=best > 0)

    def _weight(self, place: Whole) -> Values:
        """What overlap from this place to the depth adds: the sum of p^(i - 1) / i."""
        places = np.arange(1, self.depth + 1)
        tail = np.append(np.cumsum((self.p ** (places - 1) / places)[::-1])[::-1], 0.0)
        weight: Values = tail[np.minimum(place, self.depth + 1) - 1]
        return weight


class ExpectedSearchLength(Measure):
    """Places looked at until the first relevant passage, that one included, over answered queries only.

    Lower is better. Lin et al. (SIGIR 2021) [SI], Table 2: it stands beside the share of answered queries.
    """

    letters = "ESL"
    words = (
        "the rank of the first relevant passage, over answered queries only: see the share answered beside it"
    )
    higher_is_better = False
    unanswered = math.nan

    def values(self, judged: Judged) -> Values:
        first = self.first_ranks(judged)
        return np.where(first > 0, first.astype(np.float64), self.unanswered)


MEASURES: dict[str, type[Measure]] = {
    kind.letters: kind
    for kind in (
        ReciprocalRank,
        AveragePrecision,
        Precision,
        DiscountedGain,
        CumulativeGain,
        Success,
        ExpectedSearchLength,
        Compatibility,
    )
}
_NAME = re.compile(
    r"(?P<letters>[A-Za-z]+)(\((?P<options>[a-z]+=[0-9.]+(,[a-z]+=[0-9.]+)?)\))?(@(?P<cutoff>[1-9]\d*))?"
)


def parse_measure(name: str) -> Measure:
    """The measure of a name such as ``RR@10``, ``AP(rel=2)`` or ``Compat(p=0.8)``. Raises UnknownMeasure."""
    if not name.strip():
        raise UnknownMeasure("No measure is named.", KNOWN)
    match = _NAME.fullmatch(name.strip())
    kind = MEASURES.get(match["letters"]) if match else None
    if match is None or kind is None:
        raise UnknownMeasure(f"{name!r} is not a measure.", KNOWN)
    cutoff = int(match["cutoff"]) if match["cutoff"] else None
    options = dict(option.split("=") for option in match["options"].split(",")) if match["options"] else {}
    rel, p = options.pop("rel", "1"), options.pop("p", None)
    wrong = kind.needs_cutoff if cutoff is None else not kind.takes_cutoff
    if wrong or options or not rel.isdigit():
        raise UnknownMeasure(f"{name!r} is not a measure.", KNOWN)
    if p is None:
        return kind(cutoff, int(rel))
    if kind is not Compatibility or not re.fullmatch(r"0?\.\d+", p) or not 0.01 <= float(p) <= 0.99:
        raise UnknownMeasure(f"{name!r} is not a measure.", KNOWN)
    return Compatibility(None, int(rel), float(p))


_SEPARATOR = re.compile(r"[\s,]+(?![^(]*\))")


def parse_measures(names: str) -> tuple[Measure, ...]:
    """Measures of names parted by blanks or commas, each once. Raises UnknownMeasure."""
    return tuple(dict.fromkeys(parse_measure(name) for name in measure_names(names)))


def measure_names(names: str) -> list[str]:
    """The names in a text, parted by blanks or commas outside of parentheses. Raises UnknownMeasure without any."""
    found = [name for name in _SEPARATOR.split(names.strip()) if name]
    if not found:
        raise UnknownMeasure("No measure is named.", KNOWN)
    return found


def depth_needed(measures: Sequence[Measure]) -> int | None:
    """How many ranks of a run must be read for these measures; None for all."""
    cutoffs = [measure.cutoff for measure in measures]
    return None if None in cutoffs else max((cutoff for cutoff in cutoffs if cutoff is not None), default=0)
