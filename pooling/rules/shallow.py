"""Shallow pools: for each query, the top passages of every run and the qrel, each with the runs that supplied it.

These are the pools behind Table 3 of Arabzadeh et al., *Shallow pooling for sparse labels* (2022).
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
    """Return qid → pid of each query's best label: the highest grade, and the first in the file if several have it.

    ``labels`` are (qid, pid, grade) in file order. Queries without a grade of at least ``min_grade`` are left out.
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
    """Count the different class keys. Each empty key (of a passage without text) counts separately."""
    keys = list(class_keys)
    return len(set(keys) - {""}) + keys.count("")


def draw_queries(qids: Sequence[str], count: int, rng: np.random.Generator) -> list[str]:
    """Draw ``count`` queries without replacement, or all if there are fewer. Returns them in the order given."""
    if count >= len(qids):
        return list(qids)
    return [qids[place] for place in sorted(rng.choice(len(qids), count, replace=False).tolist())]


@dataclass(frozen=True)
class Prices:
    """The terms of a task: pairs per task, judgments per pair, reward and fee.

    The reward is in dollars. The fee is a share of the reward.
    """

    pairs_per_task: int = 10
    judgments_per_pair: int = 1
    reward: Decimal = Decimal("2.00")
    fee: Decimal = Decimal("0.20")

    def tasks(self, pairs: int) -> int:
        """Return the number of tasks for this many pairs. The last task can be smaller than the others."""
        return -(-pairs * self.judgments_per_pair // self.pairs_per_task)

    def cost(self, pairs: int) -> Decimal:
        """Return the cost of judging this many pairs, in dollars including the fee, rounded to cents."""
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
    """Number of queries whose pool is a single class, which is the best answer without judging."""
    qrel_added: int
    """Number of queries whose qrel no run has among its top passages."""
    pairs: int
    tasks: int
    cost: Decimal
    histogram: Mapping[int, int]
    """Number of queries by pool size, ascending."""


def pairs_to_judge(sizes: Iterable[int]) -> int:
    """Return the number of pairs to judge: all pairs of classes within each query, given each pool's size."""
    return sum(size * (size - 1) // 2 for size in sizes)


def stats_of_sizes(sizes: Sequence[int], qrel_added: int, prices: Prices) -> PoolStats:
    """Return the statistics of pools, given the number of classes in each query's pool."""
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
    """Return source → its contribution to a pool. ``brought_by``: the sources of each pooled passage."""
    passages: dict[Hashable, int] = {}
    unique: dict[Hashable, int] = {}
    for sources in brought_by:
        for source in sources:
            passages[source] = passages.get(source, 0) + 1
        if len(sources) == 1:
            unique[sources[0]] = unique.get(sources[0], 0) + 1
    return {source: Contribution(count, unique.get(source, 0)) for source, count in passages.items()}


#: A source with fewer passages than this may share no passage with others merely by chance.
LEAST_APART = 10


def sources_apart(passages: Mapping[Source, int], shared: Iterable[tuple[Source, Source]]) -> list[Source]:
    """Return the sources outside the largest group of sources that share passages, directly or through each other.

    They may retrieve something else, such as documents. ``passages``: number of passages by source. ``shared``: pairs
    of sources with a passage in common. Sources with fewer than ``LEAST_APART`` passages are not returned. If no two
    sources share a passage, the list is empty.
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
