"""Continuous active learning over a collection: choose the passages that people judge next for a topic."""

import hashlib
from collections.abc import Collection as Group, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from scipy.sparse import vstack

from config.background.job_kinds import Progress
from judging.models import GradedItem, TopicAssignment
from judging.rules.active_learning import growing_batches, learn, presumed_among, random_rows, ranked_rows
from pooling.errors import NotFound
from pooling.files.feature_files import Features
from pooling.models import Collection
from pooling.passages import passages
from pooling.passages.clusters import canonical_of
from pooling.passages.features import features_of
from pooling.pools.pools import Choice
from pooling.rules.fractions import Fraction

#: The number of passages whose classes are looked up at once. If only one in n passages of the corpus can be chosen,
#: it is n times as large.
AT_ONCE = 200


def proposed_passages(assignment: TopicAssignment, *, progress: Progress | None = None) -> list[int]:
    """Return the keys of the next passages to judge, best first; none if all passages with a text are judged.

    If the pool is limited to a fraction of the corpus, only passages of the fraction are returned. A campaign that
    learns from all grades leaves out the passages that the collection's other graded campaigns judged for the query.
    Unless its pool is limited to a fraction, it also learns from their counted grades.
    """
    topic = assignment.topic
    campaign, pool = topic.campaign, topic.campaign.pool
    rows = assignment.items.values_list("passage__pid", "grade")
    try:
        found = next_passages(
            campaign.collection,
            topic.query.text,
            {pid: grade for pid, grade in rows if grade is not None},
            campaign.min_grade,
            campaign.life.batch,
            campaign.seed,
            others=_grades_elsewhere(assignment) if campaign.learn_from_all else {},
            fraction=Choice(fraction=pool.fraction, fraction_seed=pool.fraction_seed).corpus,
            progress=progress,
        )
    except NotFound:  # a rehearsal without any texts
        return []
    known = passages.ensure(collection=campaign.collection, pids=found)
    return [known[pid].pk for pid in found]


def _grades_elsewhere(assignment: TopicAssignment) -> dict[str, int]:
    """Map pids to their counted grades for the same query in the collection's other graded campaigns."""
    topic = assignment.topic
    rows = GradedItem.objects.filter(
        assignment__topic__query=topic.query_id,
        assignment__over_at=None,
        assignment__second=False,
        grade__isnull=False,
    )
    rows = rows.exclude(assignment__topic__campaign=topic.campaign_id).order_by("pk")
    return {pid: grade for pid, grade in rows.values_list("passage__pid", "grade") if grade is not None}


def next_passages(
    collection: Collection,
    query_text: str,
    judged: Mapping[str, int],
    relevant_from: int,
    count: int,
    seed: int,
    *,
    others: Mapping[str, int] = MappingProxyType({}),
    fraction: Fraction | None = None,
    progress: Progress | None = None,
) -> list[str]:
    """Return the pids of the next ``count`` passages to judge, best first, or all that are left if there are fewer.

    ``judged`` maps pids to grades in this thread, and ``others`` to grades in the topic's other threads. A grade of
    ``relevant_from`` or more is relevant. The learner uses both, except the grades of passages without a text. With
    ``fraction``, it ignores ``others``, and all passages that it learns from or returns belong to the fraction.

    No passage of ``judged`` or ``others`` is returned. Of each class of near-duplicates or equal texts, only the
    canonical passage is returned. The same arguments give the same passages. The collection's features are built
    first if needed. Raises NotFound for a collection without texts.
    """
    grades = {**others, **judged} if fraction is None else judged
    with features_of(collection, progress) as features:
        topic = _Topic(collection, features, fraction, {*judged, *others})
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
    """A passage's row in the collection's features, its pid (``named``), and its class of near-duplicates."""

    row: int
    named: str
    pid: str
    """The pid of the class's canonical passage or, if that has no features, of the passage itself."""
    key: str | int
    """The key of the class: its canonical pid, the key of its text or, without a text, the passage's pid."""
    held: bool
    """Whether the class belongs to the fraction, that is, whether its canonical passage does."""


class _Topic:
    """The passages of the fraction that can be chosen for a topic: one per class that is not known yet.

    A class is known if any of its passages already has a grade.
    """

    def __init__(
        self, collection: Collection, features: Features, within: Fraction | None, known: Group[str]
    ) -> None:
        self.collection, self.features, self.within = collection, features, within
        self.at_once = AT_ONCE * (within.of if within else 1)
        self.known = list(self._passages(sorted(features.rows_of(known).values())))
        self.seen = {*known, *canonical_of(collection, known).values(), *(one.key for one in self.known)}

    def unknown(self, rows: Iterable[int]) -> Iterator[_Passage]:
        """Yield the passages in these rows that can be chosen, in the order of the rows.

        ``rows`` are row numbers in the features.
        """
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
