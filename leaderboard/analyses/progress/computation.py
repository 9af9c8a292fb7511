"""A leaderboard over time: which runs were the state of the art when they arrived.

By the definition of Lin et al. (SIGIR 2021) [SI], these are the first run that beats the baselines, and each later
run that displaces the best run.
"""

import math
from collections.abc import Sequence


def displaced_over_time(values: Sequence[float], baseline: Sequence[bool]) -> dict[int, int | None]:
    """Return, for each run that was the best when it arrived, the index of the run that it displaced.

    ``values`` are in order of arrival and can be NaN. All baselines count from the start, whenever they were
    submitted. The first state-of-the-art run displaced the best baseline, or no run (None) if there are no baselines.
    A run whose value only equals the best displaces no run.
    """
    baselines = [place for place, value in enumerate(values) if baseline[place] and not math.isnan(value)]
    top = max(baselines, key=lambda place: values[place], default=None)
    found: dict[int, int | None] = {}
    for place, value in enumerate(values):
        counts = not baseline[place] and not math.isnan(value)
        if counts and (top is None or value > values[top]):
            found[place], top = top, place
    return found
