"""How many queries have a pool of each size: figures 3 and 4 of [SP]."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class SizeCounts:
    """Pool size → number of queries (``queries``), for the sizes that occur."""

    queries: dict[int, int]

    @property
    def total(self) -> int:
        """The number of queries."""
        return sum(self.queries.values())

    @property
    def pairs(self) -> int:
        """The number of pairs to judge if every two passages of a query's pool form a pair."""
        return sum(count * size * (size - 1) // 2 for size, count in self.queries.items())

    @property
    def mean(self) -> float:
        """The mean pool size; 0 if there are no queries."""
        return sum(size * count for size, count in self.queries.items()) / max(1, self.total)

    def share(self, size: int) -> float:
        return self.queries.get(size, 0) / max(1, self.total)


def size_counts(sizes: Iterable[int]) -> SizeCounts:
    """Count queries by the size of their pool. Queries without a passage are left out."""
    return SizeCounts(dict(sorted(Counter(size for size in sizes if size > 0).items())))
