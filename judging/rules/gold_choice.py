"""Choose gold pairs that look like real pairs and cannot be answered without reading.

Every candidate has features: what a page shows, and how often a worker can see its question and passages. Features of
the whole pair, such as lengths and overlap with the question, should be distributed as in the campaign's real pairs.
Differences between the relevant and the off-topic passage, such as in length or question words, should average 0.
Then no single feature tells which passage is relevant.

:func:`choose_gold` repeatedly takes the candidate that brings the chosen pairs closest to both goals. Afterward, it
compares each chosen pair again with all other candidates.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from judging.rules.familiarity import TYPICAL, Familiarity, Keys, Shares
from judging.rules.pair_features import (
    PLACEMENT,
    SURFACE,
    PassageText,
    QuestionText,
    features,
    overlap,
    placement,
    weighted_overlap,
)

Floats = NDArray[np.float64]

#: The minimum share of hard pairs among the chosen gold pairs, if there are enough hard candidates.
HARD_SHARE = 0.5
#: The share of the question's content words from which an off-topic passage makes a gold pair hard.
HARD_OVERLAP = 0.5
#: Features are clipped at this many standard deviations from the mean of the real pairs.
FARTHEST = 3.0
#: Added to the variance of each combination of features, so that combinations that hardly vary weigh little.
LEAST_VARIANCE = 0.2
#: The weights to try for the differences between the two passages, relative to the distribution of pair features. The
#: second is used if, with the first, one difference has the same sign in more than ``MOST_AHEAD`` of the gold pairs.
WEIGHTS_OF_EVEN = (2.0, 6.0)
MOST_AHEAD = 0.58
#: The maximum number of rounds in which every chosen gold pair is compared again with all candidates.
PASSES = 3
#: Sets with more gold pairs are not compared again, because that takes time and their differences average out anyway.
MOST_REFINED = 100
#: The weight of the signs of :func:`lead_signs`, relative to the distribution of pair features.
WEIGHT_OF_LOOKS = 1.2
#: The weight of familiarity relative to all features that a page shows; both are in standard deviations.
WEIGHT_OF_MEMORY = 2.0


@dataclass(frozen=True)
class Triple:
    """The keys of a query, a relevant and an off-topic passage. ``why`` is the source of the off-topic passage."""

    query_id: int
    relevant_id: int
    off_topic_id: int
    why: str = ""

    @property
    def key(self) -> tuple[int, int, int]:
        """The keys of the query, the relevant and the off-topic passage, which identify the triple."""
        return self.query_id, self.relevant_id, self.off_topic_id


@dataclass(frozen=True)
class Texts:
    """The texts of questions and passages by key. A pair with a missing text is treated as average.

    ``weights`` measures how rare each word is. Words without a weight count as 1.
    """

    questions: Mapping[int, QuestionText]
    passages: Mapping[int, PassageText]
    weights: Mapping[str, float] = field(default_factory=dict)

    def of(self, triple: Triple) -> tuple[QuestionText, PassageText, PassageText] | None:
        """Return the texts of the question, the relevant and the off-topic passage, or None if one is missing."""
        asked = self.questions.get(triple.query_id)
        good, bad = self.passages.get(triple.relevant_id), self.passages.get(triple.off_topic_id)
        return None if asked is None or good is None or bad is None else (asked, good, bad)

    def likeness(self, asked: QuestionText, passage: PassageText) -> float:
        """Calculate the TF-IDF cosine similarity of question and passage, up to a constant factor per question."""
        shared = sum(weight**2 for word, weight in asked.weights.items() if word in passage.words)
        norm = math.sqrt(sum(self.weights.get(word, 1.0) ** 2 for word in passage.words))
        return shared / norm if norm else 0.0


@dataclass(frozen=True)
class Real:
    """The campaign's real pairs, as tuples of query key and two passage keys."""

    pairs: Sequence[tuple[int, int, int]]

    @cached_property
    def uses(self) -> Counter[int]:
        """A map from each passage to the number of real pairs that contain it."""
        return Counter(passage for _, *sides in self.pairs for passage in sides)


def is_hard(question: frozenset[str], relevant: frozenset[str], off_topic: frozenset[str]) -> bool:
    """Return whether the off-topic passage has half of the question's words, or no fewer than the relevant one.

    Returns False if it has none of them.
    """
    shared = overlap(question, off_topic)
    return shared > 0 and (shared >= HARD_OVERLAP or shared >= overlap(question, relevant))


def is_hard_triple(texts: Texts, triple: Triple) -> bool:
    """Return whether a gold pair is hard (:func:`is_hard`); False if one of its texts is missing."""
    found = texts.of(triple)
    return found is not None and is_hard(found[0].words, found[1].words, found[2].words)


def lead_figures(texts: Texts, triple: Triple) -> tuple[float, ...]:
    """Calculate the relevant passage's values less the off-topic one's; all 0 if a text is missing.

    The values are shares of question words, plain and weighted; numbers of question phrases; similarity to the
    question; and log length.
    """
    found = texts.of(triple)
    if found is None:
        return (0.0, 0.0, 0.0, 0.0, 0.0)
    asked, good, bad = found
    return (
        overlap(asked.words, good.words) - overlap(asked.words, bad.words),
        weighted_overlap(asked, good.words) - weighted_overlap(asked, bad.words),
        float(len(asked.neighbors & good.neighbors) - len(asked.neighbors & bad.neighbors)),
        texts.likeness(asked, good) - texts.likeness(asked, bad),
        float(np.log((1 + good.length) / (1 + bad.length))),
    )


def lead_signs(texts: Texts, triple: Triple) -> tuple[float, ...]:
    """Return 1 for each ``SURFACE`` and ``PLACEMENT`` feature that is higher in the relevant passage, -1 if lower.

    Returns 0 for a tie, and for all features if a text is missing.
    """
    found = texts.of(triple)
    if found is None:
        return (0.0,) * (len(SURFACE) + len(PLACEMENT))
    asked, good, bad = found
    pairs = zip((*good.surface, *placement(asked, good)), (*bad.surface, *placement(asked, bad)), strict=True)
    return tuple(float((one > other) - (one < other)) for one, other in pairs)


def choose_gold(
    candidates: Sequence[Triple],
    *,
    real: Real,
    texts: Texts,
    standing: Sequence[Triple],
    wanted: int,
    rng: np.random.Generator,
    exclusive: bool = True,
    most_of_a_question: int | None = None,
    shares: Shares = TYPICAL,
) -> list[Triple]:
    """Choose up to ``wanted`` candidates that, with the existing gold pairs (``standing``), look like the real pairs.

    Candidates that are real pairs are left out, since a worker would see them twice. While other questions are left,
    a question is used at most ``most_of_a_question`` times. This should be the maximum number of tasks of one worker,
    because a task asks a question only once. With ``exclusive``, a passage appears under only one question in gold
    and real pairs. ``shares`` are the shares of real and gold pairs that one worker sees. The same generator state
    gives the same result.
    """
    judged = {(query, frozenset(sides)) for query, *sides in real.pairs}
    candidates = [one for one in candidates if (one.query_id, frozenset(one.key[1:])) not in judged]
    if not candidates or wanted < 1:
        return []
    triples = [*standing, *candidates]
    noise = rng.random(len(triples))
    found: list[Triple] = []
    for weight in WEIGHTS_OF_EVEN:
        figures = _Figures.of(real, texts, triples, weight)
        known = Familiarity(real.pairs, [one.key for one in triples], shares)
        search = _Search(triples, len(standing), figures, known, real, texts, exclusive=exclusive)
        search.most_of_a_question = most_of_a_question or wanted + len(standing)
        chosen = _refine_choice(search, _choose_greedily(search, wanted, noise), noise)
        found = [triples[index] for index in chosen]
        if largest_lead(texts, [*standing, *found]) <= MOST_AHEAD:
            break
    return found


def _choose_greedily(search: _Search, wanted: int, noise: Floats) -> list[int]:
    """Choose candidates one by one, each the best one given those chosen before. Returns their indexes."""
    found: list[int] = []
    while len(found) < wanted and (best := search.best(noise)) is not None:
        search.count(best)
        found.append(best)
    return found


def _refine_choice(search: _Search, found: list[int], noise: Floats) -> list[int]:
    """Replace each chosen candidate with the best one given all the others, in at most :data:`PASSES` rounds.

    This improves the first choices, which were made without regard to later ones. Returns indexes.
    """
    for _ in range(PASSES if len(found) <= MOST_REFINED else 0):
        before = list(found)
        for place, index in enumerate(before):
            search.count(index, times=-1)
            best = search.best(noise)
            found[place] = index if best is None else best
            search.count(found[place])
        if found == before:
            break
    return found


def largest_lead(texts: Texts, gold: Sequence[Triple]) -> float:
    """Return the largest share of gold pairs in which one of the :func:`lead_figures` favors one side.

    The sides are the relevant and the off-topic passage. Ties count half, so 0.5 means that no figure tells which
    passage is relevant.
    """
    signs = np.sign([lead_figures(texts, one) for one in gold])
    return float(0.5 + np.abs(signs.mean(axis=0)).max() / 2) if len(gold) else 0.5


@dataclass(frozen=True)
class _Figures:
    """A row of features for each triple; ``target`` is the mean that the rows of the chosen triples should have."""

    rows: Floats
    target: Floats

    @classmethod
    def of(cls, real: Real, texts: Texts, triples: Sequence[Triple], weight: float) -> _Figures:
        even = np.array([lead_figures(texts, one) for one in triples], dtype=float)
        even = np.hstack([np.sign(even), np.clip(even / _column_spread(even), -FARTHEST, FARTHEST)]) * weight
        even = np.hstack([even, WEIGHT_OF_LOOKS * np.array([lead_signs(texts, one) for one in triples])])
        shown = [texts.of(Triple(*pair)) for pair in real.pairs]
        looks = np.array([features(*one) for one in shown if one is not None], dtype=float)
        if not len(looks):
            return cls(even, np.zeros(even.shape[1]))
        average = tuple(looks.mean(axis=0).tolist())
        looked = np.array([features(*one) if (one := texts.of(triple)) else average for triple in triples])
        moments = _Moments(looks)
        target = moments.of(looks).mean(axis=0)
        rows = np.hstack([moments.of(looked), even])
        return cls(rows, np.concatenate([target, np.zeros(even.shape[1])]))


def _column_spread(table: Floats) -> Floats:
    spread: Floats = table.std(axis=0)
    return np.where(spread > 0, spread, 1.0)


class _Moments:
    """Converts features to columns whose means describe a distribution: features, squares, and combinations.

    The squares describe the spread. The combinations are uncorrelated in real pairs. If two features are correlated
    there, a small difference between them reveals more to a classifier than a difference in either.
    """

    def __init__(self, like: Floats) -> None:
        self.middle, self.spread = like.mean(axis=0), _column_spread(like)
        standard = (like - self.middle) / self.spread
        values, directions = np.linalg.eigh(standard.T @ standard / len(like))
        self.independent = directions / np.sqrt(np.maximum(values, 0.0) + LEAST_VARIANCE)

    def of(self, figures: Floats) -> Floats:
        standard = (figures - self.middle) / self.spread
        clipped = np.clip(standard, -FARTHEST, FARTHEST)
        combined = np.clip(standard @ self.independent, -FARTHEST, FARTHEST)
        return np.hstack([clipped, 0.5 * clipped**2, combined])


class _Search:
    """The state of the search: the gold pairs that exist or were chosen, and the candidates that are still allowed.

    The first ``standing`` triples are the existing gold pairs. The counts of one choice
    can be subtracted again, so that reconsidering it does not mean counting all other choices anew.
    """

    def __init__(
        self,
        triples: Sequence[Triple],
        standing: int,
        figures: _Figures,
        known: Familiarity,
        real: Real,
        texts: Texts,
        *,
        exclusive: bool,
    ) -> None:
        self.exclusive, self.known = exclusive, known
        self.most_of_a_question = len(triples)
        # The distances from the target, less a term common to all candidates, take one matrix product per choice.
        self.rows = figures.rows - figures.target
        self.lengths = (self.rows**2).sum(axis=1)
        self.total, self.number, self.hard = np.zeros(len(figures.target)), 0, 0
        self.keys = np.array([one.key for one in triples])
        self.query = self.keys[:, 0]
        self.of_query = _places_of(self.query)
        self.of_passage = _places_of(self.keys[:, 1], self.keys[:, 2])
        self.is_hard = np.array([is_hard_triple(texts, one) for one in triples])
        #: The number of reasons against choosing each triple: it exists, was chosen, or has another query's passage.
        self.forbidden = np.zeros(len(triples), dtype=np.int64)
        self.forbidden[:standing] = 1
        self.asked = np.zeros(len(triples))
        for query, passage in {(query, passage) for query, *sides in real.pairs for passage in sides}:
            self._reserve_for_query(query, passage, 1)
        for index in range(standing):
            self.count(index)

    def _reserve_for_query(self, query: int, passage: int, times: int) -> None:
        """Forbid triples that have the passage under another query; with ``times`` -1, undo that."""
        if self.exclusive and (places := self.of_passage.get(passage)) is not None:
            self.forbidden[places] += times * (self.query[places] != query)

    def count(self, index: int, times: int = 1) -> None:
        """Mark the triple at ``index`` as chosen; with ``times`` -1, undo that."""
        query, *sides = self.keys[index].tolist()
        self.total = self.total + times * self.rows[index]
        self.number += times
        self.hard += times * int(self.is_hard[index])
        self.known.count(index, times)
        for passage in sides:
            self._reserve_for_query(query, passage, times)
        same = self.of_query[query]
        self.asked[same] += times
        self.forbidden[same] += times * (self.keys[same] == self.keys[index]).all(axis=1)

    def best(self, noise: Floats) -> int | None:
        """Return the index of the allowed triple that brings the means closest to the targets; None if none is left.

        ``noise`` breaks ties.
        """
        free = self.forbidden == 0
        allowed = free & (self.asked < self.most_of_a_question)
        if not allowed.any():
            allowed = free
        if self.hard < HARD_SHARE * (self.number + 1) and (allowed & self.is_hard).any():
            allowed = allowed & self.is_hard
        if not allowed.any():
            return None
        away = self.lengths + 2 * (self.rows @ self.total)
        away += WEIGHT_OF_MEMORY * self.known.away()
        return int(np.argmin(np.where(allowed, away + noise * 1e-6, np.inf)))


def _places_of(*columns: Keys) -> dict[int, Keys]:
    """Map each key in these columns to the numbers of the rows that contain it."""
    keys, rows = np.concatenate(columns), np.tile(np.arange(len(columns[0])), len(columns))
    order = np.argsort(keys, kind="stable")
    known, starts = np.unique(keys[order], return_index=True)
    return dict(zip(known.tolist(), np.split(rows[order], starts[1:]), strict=True))
