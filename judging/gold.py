"""Pure: which gold pairs to propose, so that they look like real pairs and strategies that do not read fail on them.

Every candidate is described by what a page shows of it, and by how often a worker may meet its passages. Two kinds of
figures count. Those that are the same whichever side comes first (lengths, overlap with the question) follow the
distribution of the campaign's real pairs. Those that say by how much the relevant passage is ahead of the off-topic
one (more question words, longer, met more often) even out. :func:`choose` takes one candidate after the other, each
time the one that brings the chosen ones closest to both.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from judging.pair_features import PassageText, QuestionText, features, overlap, weighted_overlap

Floats = NDArray[np.float64]

#: At least this share of the proposals is hard, where there are such candidates.
HARD_SHARE = 0.5
#: An off-topic passage with this share of the question's content words is hard.
HARD_OVERLAP = 0.5
#: Figures further than this from the mean of the real pairs, in standard deviations, count as this far.
FARTHEST = 3.0
#: What an even score counts against a distribution alike: both are in standard deviations. The second counts when
#: with the first the relevant passage is ahead, or behind, in more than ``MOST_AHEAD`` of the gold pairs.
WEIGHTS_OF_EVEN = (2.0, 6.0)
MOST_AHEAD = 0.58
#: Passages of real pairs come again in other pairs, so those of gold pairs do, too: in this many gold pairs.
USES = 3
#: What a passage counts that no pair had before, one that comes again, and each use above ``USES``.
NEW_PASSAGE, AGAIN, TOO_OFTEN = 60.0, -40.0, 40.0
#: What a passage of the real pairs counts, and each gold pair that the question has already.
POOLED_PASSAGE, SAME_QUESTION = -40.0, 8.0


@dataclass(frozen=True)
class Triple:
    """A query with a relevant and an off-topic passage, by keys. ``why`` says where the off-topic one comes from."""

    query_id: int
    relevant_id: int
    off_topic_id: int
    why: str = ""


@dataclass(frozen=True)
class Texts:
    """The texts behind the keys; what has no text counts as even in everything that texts show."""

    questions: Mapping[int, QuestionText]
    passages: Mapping[int, PassageText]

    def of(self, triple: Triple) -> tuple[QuestionText, PassageText, PassageText] | None:
        """The question and both passages; None when a text is missing."""
        asked = self.questions.get(triple.query_id)
        good, bad = self.passages.get(triple.relevant_id), self.passages.get(triple.off_topic_id)
        return None if asked is None or good is None or bad is None else (asked, good, bad)


@dataclass(frozen=True)
class Real:
    """The campaign's real pairs as (query, passage, passage)."""

    pairs: Sequence[tuple[int, int, int]]

    @cached_property
    def uses(self) -> Counter[int]:
        """Passage → how many real pairs it stands in."""
        return Counter(passage for _, *sides in self.pairs for passage in sides)


def is_hard(question: frozenset[str], relevant: frozenset[str], off_topic: frozenset[str]) -> bool:
    """Whether the off-topic passage shares the question's words: half of them, or as many as the relevant one."""
    shared = overlap(question, off_topic)
    return shared > 0 and (shared >= HARD_OVERLAP or shared >= overlap(question, relevant))


def hard(texts: Texts, triple: Triple) -> bool:
    """Whether a gold pair is hard; without texts it is not."""
    found = texts.of(triple)
    return found is not None and is_hard(found[0].words, found[1].words, found[2].words)


def ahead(texts: Texts, real: Real, triple: Triple) -> tuple[float, ...]:
    """By how much the relevant passage is ahead.

    In the question's words, rare ones, its phrases, likeness to the question, length, and uses in real pairs.
    """
    often = np.log((1 + real.uses[triple.relevant_id]) / (1 + real.uses[triple.off_topic_id]))
    found = texts.of(triple)
    if found is None:
        return (0.0, 0.0, 0.0, 0.0, 0.0, often)
    asked, good, bad = found
    return (
        overlap(asked.words, good.words) - overlap(asked.words, bad.words),
        weighted_overlap(asked, good.words) - weighted_overlap(asked, bad.words),
        float(len(asked.neighbors & good.neighbors) - len(asked.neighbors & bad.neighbors)),
        _likeness(asked, good) - _likeness(asked, bad),
        float(np.log((1 + good.length) / (1 + bad.length))),
        often,
    )


def _likeness(asked: QuestionText, passage: PassageText) -> float:
    """How alike question and passage are: the squared weights of shared words, less in a passage of many words."""
    shared = sum(weight**2 for word, weight in asked.weights.items() if word in passage.words)
    return shared / math.sqrt(len(passage.words)) if passage.words else 0.0


def choose(
    candidates: Sequence[Triple],
    *,
    real: Real,
    texts: Texts,
    standing: Sequence[Triple],
    wanted: int,
    rng: np.random.Generator,
    exclusive: bool = True,
    most_of_a_question: int | None = None,
) -> list[Triple]:
    """Up to ``wanted`` candidates that together with the ``standing`` gold pairs look like the real pairs.

    No real pair serves: a worker would see it twice. A question serves ``most_of_a_question`` times, the number of
    tasks of one worker, as long as others are left: a task asks it once, so that more would serve nobody. With
    ``exclusive`` no passage is used under two questions, be it in gold or in real pairs. The same generator
    state gives the same.
    """
    judged = {(query, frozenset(sides)) for query, *sides in real.pairs}
    candidates = [
        one
        for one in candidates
        if (one.query_id, frozenset((one.relevant_id, one.off_topic_id))) not in judged
    ]
    if not candidates or wanted < 1:
        return []
    noise = rng.random(len(candidates))
    found: list[Triple] = []
    for weight in WEIGHTS_OF_EVEN:
        figures = _Figures.of(real, texts, [*standing, *candidates], weight)
        search = _Search(candidates, figures, real, texts, standing, exclusive=exclusive)
        search.most_of_a_question = most_of_a_question or wanted + len(standing)
        found = []
        while len(found) < wanted and (best := search.best(noise)) is not None:
            search.count(candidates[best], search.rows[best])
            found.append(candidates[best])
        if most_ahead(texts, real, [*standing, *found]) <= MOST_AHEAD:
            break
    return found


def most_ahead(texts: Texts, real: Real, gold: Sequence[Triple]) -> float:
    """The largest share of gold pairs that one figure of the texts answers right, or wrong; ties count half."""
    signs = np.sign([ahead(texts, real, one)[:-1] for one in gold])
    return float(0.5 + np.abs(signs.mean(axis=0)).max() / 2) if len(gold) else 0.5


@dataclass(frozen=True)
class _Figures:
    """A row for each triple; ``target`` is the mean that the rows of the chosen ones should have."""

    rows: Floats
    target: Floats

    @classmethod
    def of(cls, real: Real, texts: Texts, triples: Sequence[Triple], weight: float) -> _Figures:
        even = np.array([ahead(texts, real, one) for one in triples], dtype=float)
        even = np.hstack([np.sign(even), np.clip(even / _spread(even), -FARTHEST, FARTHEST)]) * weight
        shown = [texts.of(Triple(*pair)) for pair in real.pairs]
        looks = np.array([features(*one) for one in shown if one is not None], dtype=float)
        if not len(looks):
            return cls(even, np.zeros(even.shape[1]))
        middle, spread = looks.mean(axis=0), _spread(looks)
        average = tuple(middle.tolist())
        looked = np.array([features(*one) if (one := texts.of(triple)) else average for triple in triples])
        target = _moments((looks - middle) / spread).mean(axis=0)
        rows = np.hstack([_moments((looked - middle) / spread), even])
        return cls(rows, np.concatenate([target, np.zeros(even.shape[1])]))


def _spread(table: Floats) -> Floats:
    spread: Floats = table.std(axis=0)
    return np.where(spread > 0, spread, 1.0)


def _moments(standard: Floats) -> Floats:
    """Each figure and its square: the spread of a distribution is followed as well as its middle."""
    clipped = np.clip(standard, -FARTHEST, FARTHEST)
    return np.hstack([clipped, 0.5 * clipped**2])


class _Search:
    """The candidates, what is chosen so far, and which candidates are still allowed."""

    def __init__(
        self,
        candidates: Sequence[Triple],
        figures: _Figures,
        real: Real,
        texts: Texts,
        standing: Sequence[Triple],
        *,
        exclusive: bool,
    ) -> None:
        self.exclusive = exclusive
        self.most_of_a_question = len(candidates) + len(standing)
        self.rows, self.target = figures.rows[len(standing) :], figures.target
        self.total, self.number, self.hard = np.zeros(len(self.target)), 0, 0
        self.texts = texts
        self.query = np.array([one.query_id for one in candidates])
        self.sides = np.array([(one.relevant_id, one.off_topic_id) for one in candidates])
        self.is_hard = np.array([hard(texts, one) for one in candidates])
        self.pooled = np.isin(self.sides, list(real.uses))
        self.allowed = np.ones(len(candidates), dtype=bool)
        self.uses = np.zeros(self.sides.shape)
        self.asked = np.zeros(len(candidates))
        for query, passage in {(query, passage) for query, *sides in real.pairs for passage in sides}:
            self._own(query, passage)
        for triple, row in zip(standing, figures.rows, strict=False):
            self.count(triple, row)

    def _own(self, query: int, passage: int) -> None:
        """Allow the passage under this query alone."""
        if self.exclusive:
            self.allowed &= (self.query == query) | (self.sides != passage).all(axis=1)

    def count(self, triple: Triple, row: Floats) -> None:
        """Count a gold pair that is chosen."""
        self.total = self.total + row
        self.number += 1
        self.hard += hard(self.texts, triple)
        for passage in (triple.relevant_id, triple.off_topic_id):
            self._own(triple.query_id, passage)
            self.uses += self.sides == passage
        self.asked += self.query == triple.query_id
        same = (self.query == triple.query_id) & (
            self.sides == (triple.relevant_id, triple.off_topic_id)
        ).all(axis=1)
        self.allowed &= ~same

    def best(self, noise: Floats) -> int | None:
        """The allowed candidate that brings the mean closest to its target; None when there is none."""
        allowed = self.allowed & (self.asked < self.most_of_a_question)
        if not allowed.any():
            allowed = self.allowed
        if self.hard < HARD_SHARE * (self.number + 1) and (allowed & self.is_hard).any():
            allowed = allowed & self.is_hard
        if not allowed.any():
            return None
        away = ((self.total + self.rows - (self.number + 1) * self.target) ** 2).sum(axis=1)
        often = np.where(self.uses < USES, AGAIN, TOO_OFTEN * (self.uses + 1 - USES))
        own = np.where(self.uses > 0, often, NEW_PASSAGE)
        away += np.where(self.pooled, POOLED_PASSAGE, own).sum(axis=1) + SAME_QUESTION * self.asked
        return int(np.argmin(np.where(allowed, away + noise * 1e-6, np.inf)))
