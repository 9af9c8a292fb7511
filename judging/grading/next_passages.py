"""Continuous active learning over a collection: choose the passages that people judge next for a topic."""

import hashlib
from collections.abc import Collection as Group, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy.sparse import vstack

from config.background.job_kinds import Progress
from judging.rules.active_learning import growing_batches, learn, presumed_among, random_rows, ranked_rows
from pooling.feature_files import Features
from pooling.fractions import Fraction
from pooling.models import Collection
from pooling.services.clusters import canonical_of
from pooling.services.features import features_of

#: The number of passages whose classes are looked up at once; with a fraction, only its passages count.
AT_ONCE = 200


class Thread(IntEnum):
    """The passages that a topic's thread ranks and learns from, as in the TREC 2022 Deep Learning track."""

    FRACTION = 1
    """Rank the passages of the fraction, and learn from their judgments in this thread."""
    OWN = 2
    """Rank all passages, and learn from this thread's judgments."""
    ALL = 3
    """Rank all passages, and learn from the judgments of all threads."""


def next_passages(
    collection: Collection,
    query_text: str,
    judged: Mapping[str, int],
    relevant_from: int,
    count: int,
    seed: int,
    *,
    thread: int = Thread.ALL,
    others: Mapping[str, int] | None = None,
    fraction: Fraction | None = None,
    exclude: Group[str] = (),
    progress: Progress | None = None,
) -> list[str]:
    """Return the next ``count`` passages to judge, best first; fewer if no more are left.

    ``judged``: pid → grade in this thread; a grade of ``relevant_from`` or more is relevant. ``others``: the same for
    the topic's other threads. No passage of ``judged``, ``others`` or ``exclude`` is returned. Of each class of
    near-duplicates or equal texts, only the canonical passage is. The same arguments give the same passages. Judged
    passages without a text are not learned from. Builds the collection's features first if needed. Raises NotFound
    for a collection without texts, ValueError for ``Thread.FRACTION`` without a fraction.
    """
    thread = Thread(thread)
    if thread is Thread.FRACTION and fraction is None:
        raise ValueError("The fraction is missing.")
    within = fraction if thread is Thread.FRACTION else None
    others = others or {}
    grades = {**others, **judged} if thread is Thread.ALL else dict(judged)
    with features_of(collection, progress) as features:
        topic = _Topic(collection, features, within, {*judged, *others, *exclude})
        known = [one for one in topic.known if one.named in grades and one.held]
        relevant = [one.row for one in known if grades[one.named] >= relevant_from]
        other = [one.row for one in known if grades[one.named] < relevant_from]
        rng = np.random.default_rng([seed, _hash_as_number(query_text), len(known)])
        presumed = islice(topic.unknown(random_rows(features, rng)), presumed_among(features.passages))
        other += [one.row for one in presumed]
        if not other:
            return []  # everything was judged, and all of it is relevant
        question = features.tfidf_of_text(query_text)
        positive = vstack([question, features.tfidf_of(relevant)], format="csr")
        weights = learn(positive, features.tfidf_of(other), features.rarities)
        first = topic.at_once * 50 + 4 * len(topic.seen)
        best = topic.unknown(ranked_rows(features, weights, first, partial(_show_ranking, progress)))
        return [one.pid for one in islice(best, count)]


class _Passage(NamedTuple):
    """A passage with features, and the class that it represents."""

    row: int
    named: str
    pid: str
    """The pid of the canonical passage of the class."""
    key: str | int
    """The key of the class: its canonical pid, the key of its text or, without a text, the pid."""
    held: bool
    """Whether the fraction contains the class, which is the case if it contains the canonical passage."""


class _Topic:
    """The passages to choose from: in the fraction, one per class, skipping classes with a known passage."""

    def __init__(
        self, collection: Collection, features: Features, within: Fraction | None, known: Group[str]
    ) -> None:
        self.collection, self.features, self.within = collection, features, within
        self.at_once = AT_ONCE * (within.of if within else 1)
        self.known = list(self._passages(sorted(features.rows_of(known).values())))
        self.seen = {*known, *canonical_of(collection, known).values(), *(one.key for one in self.known)}

    def unknown(self, rows: Iterable[int]) -> Iterator[_Passage]:
        """Yield the passages to choose from, in the order of the rows."""
        seen = set(self.seen)
        for some in growing_batches(rows, self.at_once):
            for one in self._passages(some):
                if one.held and seen.isdisjoint((one.pid, one.key)):
                    seen.update((one.pid, one.key))
                    yield one

    def _passages(self, rows: Sequence[int]) -> Iterator[_Passage]:
        pids, texts = self.features.pids_of(rows), self.features.text_keys(rows)
        canonical = canonical_of(self.collection, pids)
        there = self.features.rows_of(canonical.values())
        for row, pid, text in zip(rows, pids, texts, strict=True):
            first = canonical.get(pid, pid)
            key = first if pid in canonical else text or pid
            held = self.within is None or self.within.holds(first)
            yield _Passage(row, pid, first if first in there else pid, key, held)


def _hash_as_number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _show_ranking(progress: Progress | None, done: int, total: int) -> None:
    if progress:
        progress(done, total, "Ranking passages")
