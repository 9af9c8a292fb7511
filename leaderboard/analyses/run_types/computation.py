"""Runs by type: the best and the median run of each type, and the best runs of two types compared on every query.

Figures 2 to 4 of the overview of TREC 2022's Deep Learning track [DL].
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True)
class RunType:
    """A type of runs: the row indexes of its runs, best first, and the best and the median of their means."""

    name: str
    rows: tuple[int, ...]
    best: float
    median: float

    @property
    def champion(self) -> int:
        """The row index of the type's best run."""
        return self.rows[0]


@dataclass(frozen=True)
class Duel:
    """The best runs of two types compared: the numbers of queries that the first won and lost, and of ties."""

    first: RunType
    second: RunType
    won: int
    lost: int
    level: int
    difference: float
    """Mean of the second minus mean of the first."""

    @property
    def title(self) -> str:
        return f"Best of {self.first.name} against best of {self.second.name}"


def run_types(values: Values, types: Sequence[str], *, higher_is_better: bool = True) -> list[RunType]:
    """Return the types of runs, starting with the type of the best run.

    ``values`` has the shape (runs, queries), and ``types`` has the type of each run. Of runs with equal means, the
    earlier row counts as better.
    """
    means = values.mean(axis=1)
    sign = -1.0 if higher_is_better else 1.0
    found = []
    for name in dict.fromkeys(types):
        rows = sorted(
            (row for row, one in enumerate(types) if one == name), key=lambda row: sign * means[row]
        )
        own = means[rows]
        found.append(RunType(name, tuple(rows), float(own[0]), float(np.median(own))))
    return sorted(found, key=lambda one: (sign * one.best, one.name))


def duels(values: Values, types: Sequence[RunType], *, higher_is_better: bool = True) -> list[Duel]:
    """Compare the best runs of every pair of types, query by query.

    ``types`` must start with the best type. In each duel, ``second`` is the better type.
    """
    found = []
    for place, second in enumerate(types):
        for first in types[place + 1 :]:
            change = values[second.champion] - values[first.champion]
            better = change if higher_is_better else -change
            won, lost = int((better < 0).sum()), int((better > 0).sum())
            level = values.shape[1] - won - lost
            found.append(Duel(first, second, won, lost, level, float(change.mean())))
    return found
