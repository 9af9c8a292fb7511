"""Continuous active learning over a collection: the passages that people should judge next for a topic."""

from __future__ import annotations

import hashlib
from collections.abc import Collection as Group
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import partial
from itertools import islice

import numpy as np
from scipy.sparse import vstack

from config.background.job_kinds import Progress
from judging.rules.active_learning import batched, drawn, learn, presumed_among, ranked
from pooling.feature_files import Features
from pooling.fractions import Fraction
from pooling.models import Collection
from pooling.services.clusters import canonical_of
from pooling.services.features import features_of

__all__ = ["Fraction", "Thread", "next_passages"]


#: Passages whose classes are looked up together; a fraction takes so many of its own.
AT_ONCE = 200


class Thread(IntEnum):
    """What a topic's thread ranks and learns from, as in the TREC 2022 Deep Learning track."""

    FRACTION = 1
    """The passages of the fraction, from their judgments in this thread."""
    OWN = 2
    """All passages, from this thread's judgments."""
    ALL = 3
    """All passages, from the judgments of all threads."""


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

    ``judged``: pid → grade in this thread; grades of ``relevant_from`` and more are relevant. ``others``: the same of
    the topic's other threads. No passage of either is returned, nor one of ``exclude``, nor a second of a class of
    near-duplicates or equal texts: the canonical passage stands for its class. The same arguments give the same
    passages. Judged passages without a text teach nothing. Makes the collection's features first if needed.
    Raises NotFound for a collection without texts, ValueError for ``Thread.FRACTION`` without a fraction.
    """
    thread = Thread(thread)
    if thread is Thread.FRACTION and fraction is None:
        raise ValueError("The fraction is missing.")
    within = fraction if thread is Thread.FRACTION else None
    others = others or {}
    grades = {**others, **judged} if thread is Thread.ALL else dict(judged)
    if within is not None:
        grades = {pid: grade for pid, grade in grades.items() if within.holds(pid)}
    with features_of(collection, progress) as features:
        topic = _Topic(collection, features, within, {*judged, *others, *exclude})
        known = [
            (row, grades[pid] >= relevant_from) for pid, row in sorted(topic.rows.items()) if pid in grades
        ]
        rng = np.random.default_rng([seed, _number(query_text), len(known)])
        presumed = [
            row for row, _ in islice(topic.unknown(drawn(features, rng)), presumed_among(features.passages))
        ]
        question, rarities = features.tfidf_of_text(query_text), features.rarities
        relevant = features.tfidf_of([row for row, is_relevant in known if is_relevant])
        other = features.tfidf_of([*(row for row, is_relevant in known if not is_relevant), *presumed])
        if not other.shape[0]:
            return []  # everything was judged, and all of it is relevant
        weights = learn(vstack([question, relevant], format="csr"), other, rarities)
        best = topic.unknown(ranked(features, weights, AT_ONCE, partial(_show, progress)))
        return [pid for _, pid in islice(best, count)]


class _Topic:
    """What can be asked: passages of the fraction, one of each class, none of a class that has a known passage."""

    def __init__(
        self, collection: Collection, features: Features, within: Fraction | None, known: Group[str]
    ) -> None:
        self.collection, self.features, self.within = collection, features, within
        self.rows = features.rows_of(known)
        keys = (key for _, key in self._classes(list(self.rows), list(self.rows.values())))
        self.known = {*known, *canonical_of(collection, known).values(), *keys}

    def unknown(self, rows: Iterable[int]) -> Iterator[tuple[int, str]]:
        """Yield (row, pid) of what can be asked, in the order of the rows."""
        seen = set(self.known)
        for some in batched(rows, AT_ONCE * (self.within.of if self.within else 1)):
            classes = self._classes(self.features.pids_of(some), some)
            for row, (pid, key) in zip(some, classes, strict=True):
                if seen.isdisjoint((pid, key)) and (self.within is None or self.within.holds(pid)):
                    seen.update((pid, key))
                    yield row, pid

    def _classes(self, pids: Sequence[str], rows: Sequence[int]) -> Iterator[tuple[str, str | int]]:
        """Yield the passage that stands for the class of each passage, and a key of the class."""
        canonical = canonical_of(self.collection, pids)
        there = self.features.rows_of(canonical.values())
        for pid, text in zip(pids, self.features.text_keys(rows), strict=True):
            first = canonical.get(pid)
            yield (first if first in there else pid) or pid, first or text or pid


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _show(progress: Progress | None, done: int, total: int) -> None:
    if progress:
        progress(done, total, "Ranking passages")
