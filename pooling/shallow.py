"""The shallow pool: every run's top passages of a query and the qrel, each with its sources.

Arabzadeh et al., *Shallow pooling for sparse labels* (2022): the pools behind its Table 3.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from statistics import fmean, median
from typing import TypeVar

import numpy as np

Source = TypeVar("Source", bound=Hashable)


@dataclass(frozen=True)
class Candidate:
    """A passage of a pool. ``runs``: ascending indices of the runs that have it among their top passages."""

    pid: str
    runs: tuple[int, ...]
    is_qrel: bool


def one_relevant_each(labels: Iterable[tuple[str, str, int]], min_grade: int) -> dict[str, str]:
    """Return each query's qrel of grade ``min_grade`` or more: the highest grade, then the first in the file.

    ``labels`` are (qid, pid, grade) in file order. Queries without such a label are left out.
    """
    best: dict[str, tuple[int, str]] = {}
    for qid, pid, grade in labels:
        if grade >= min_grade and (qid not in best or grade > best[qid][0]):
            best[qid] = (grade, pid)
    return {qid: pid for qid, (_, pid) in best.items()}


def pool_query(tops: Sequence[Sequence[str]], qrel: str | None) -> tuple[Candidate, ...]:
    """Return the pool of one query, in order of run and rank; the qrel comes last if no run supplied it.

    ``tops`` has one sequence of pids per run, empty if the run has no line for the query.
    """
    runs: dict[str, list[int]] = {}
    for run, pids in enumerate(tops):
        for pid in pids:
            runs.setdefault(pid, []).append(run)
    if qrel is not None:
        runs.setdefault(qrel, [])
    return tuple(Candidate(pid, tuple(found), pid == qrel) for pid, found in runs.items())


def count_classes(class_keys: Iterable[str]) -> int:
    """Count passages with different texts; each passage without text (key ``""``) counts separately."""
    keys = list(class_keys)
    return len(set(keys) - {""}) + keys.count("")


def draw_queries(qids: Sequence[str], count: int, rng: np.random.Generator) -> list[str]:
    """Draw ``count`` queries without replacement (all, if there are fewer), in the given order."""
    if count >= len(qids):
        return list(qids)
    return [qids[place] for place in sorted(rng.choice(len(qids), count, replace=False).tolist())]


@dataclass(frozen=True)
class Prices:
    """The terms of a task: its size, the judgments per pair, the reward and the crowd site's fee."""

    pairs_per_task: int = 10
    judgments_per_pair: int = 1
    reward: Decimal = Decimal("2.00")
    fee: Decimal = Decimal("0.20")

    def tasks(self, pairs: int) -> int:
        """Return the number of tasks for these pairs; the last can be smaller."""
        return -(-pairs * self.judgments_per_pair // self.pairs_per_task)

    def cost(self, pairs: int) -> Decimal:
        """Return the cost in dollars including the fee, to the cent."""
        dollars = self.tasks(pairs) * self.reward * (1 + self.fee)
        return dollars.quantize(Decimal("0.01"), ROUND_HALF_UP)


@dataclass(frozen=True)
class PoolStats:
    """A pool's contents and the effort of judging it.

    Passages and sizes count classes of equal texts and near-duplicates, because each class is judged once.
    """

    queries: int
    passages: int
    mean: float
    median: float
    max: int
    singletons: int
    """Queries whose pool is a single class: without judging, it is the best answer."""
    qrel_added: int
    """Queries whose qrel is in no run's top."""
    pairs: int
    tasks: int
    cost: Decimal
    histogram: Mapping[int, int]
    """Number of queries by pool size, ascending."""


def pairs_to_judge(sizes: Iterable[int]) -> int:
    """Return the number of pairs to judge: every two classes of a query."""
    return sum(size * (size - 1) // 2 for size in sizes)


def stats_of_sizes(sizes: Sequence[int], qrel_added: int, prices: Prices) -> PoolStats:
    """Return statistics of pools of these sizes (classes, one entry per query)."""
    pairs = pairs_to_judge(sizes)
    histogram = dict(sorted(Counter(sizes).items()))
    return PoolStats(
        queries=len(sizes),
        passages=sum(sizes),
        mean=fmean(sizes) if sizes else 0.0,
        median=float(median(sizes)) if sizes else 0.0,
        max=max(sizes, default=0),
        singletons=histogram.get(1, 0),
        qrel_added=qrel_added,
        pairs=pairs,
        tasks=prices.tasks(pairs),
        cost=prices.cost(pairs),
        histogram=histogram,
    )


@dataclass(frozen=True)
class Contribution:
    """The passages that one run, or the qrels, supplied to a pool."""

    passages: int
    """Number of the pool's passages that this source supplied."""
    unique: int
    """Number of those passages that no other source supplied."""


def contributions(brought_by: Iterable[Sequence[Hashable]]) -> dict[Hashable, Contribution]:
    """Count the passages that each source supplied, from the sources of every pooled passage."""
    passages: dict[Hashable, int] = {}
    unique: dict[Hashable, int] = {}
    for sources in brought_by:
        for source in sources:
            passages[source] = passages.get(source, 0) + 1
        if len(sources) == 1:
            unique[sources[0]] = unique.get(sources[0], 0) + 1
    return {source: Contribution(count, unique.get(source, 0)) for source, count in passages.items()}


#: A source with fewer passages than this may share none merely by chance.
LEAST_APART = 10


def sources_apart(passages: Mapping[Source, int], shared: Iterable[tuple[Source, Source]]) -> list[Source]:
    """Return the sources that share no passage with the others, directly or through other sources.

    They may retrieve something else, such as documents. ``passages``: number of passages by source. ``shared``: two
    sources with a passage in common. The others are the largest group of sources that share passages.
    """
    groups = {source: {source} for source in passages}
    for one, other in set(shared):
        if groups[one] is not groups[other]:
            groups[one] |= groups[other]
            for source in groups[other]:
                groups[source] = groups[one]
    largest = max(groups.values(), key=len, default=set())
    if len(largest) < 2:
        return []
    return [one for one, count in passages.items() if one not in largest and count >= LEAST_APART]
