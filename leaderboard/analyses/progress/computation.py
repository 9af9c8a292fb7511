"""A leaderboard over time: which runs were the state of the art when they arrived.

Lin et al. (SIGIR 2021) [SI]: the first run that beats the baselines, then each that displaces the top.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A run in order of arrival; ``value`` can be NaN."""

    run: str
    value: float
    baseline: bool = False


@dataclass(frozen=True)
class Standing:
    """An entry, whether it was the best when it arrived, and the index of the run it displaced.

    The first state-of-the-art run displaced the best baseline, or nothing (None) without baselines.
    """

    entry: Entry
    state_of_the_art: bool
    displaced: int | None
    best_so_far: float


def standings_over_time(entries: Sequence[Entry], *, higher: bool = True) -> list[Standing]:
    """Return the entries, in the order given, with the entry that each displaced.

    All baselines count from the start, whenever they were submitted. A value equal to the top displaces nothing.
    ``best_so_far`` is the best value among the baselines and the runs so far.
    """
    sign = 1.0 if higher else -1.0
    baselines = [
        place for place, entry in enumerate(entries) if entry.baseline and not math.isnan(entry.value)
    ]
    top = max(baselines, key=lambda place: sign * entries[place].value, default=None)
    found = []
    for place, entry in enumerate(entries):
        ahead = not entry.baseline and (top is None or sign * entry.value > sign * entries[top].value)
        ahead = ahead and not math.isnan(entry.value)
        displaced, top = (top, place) if ahead else (None, top)
        found.append(Standing(entry, ahead, displaced, entries[top].value if top is not None else math.nan))
    return found
