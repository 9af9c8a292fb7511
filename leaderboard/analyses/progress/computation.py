"""A leaderboard over time: which runs were the state of the art when they arrived.

Lin et al. (SIGIR 2021) [SI]: the first run that beats the baselines, then each run that displaces the best run.
"""

import math
from collections.abc import Sequence


def displaced_over_time(values: Sequence[float], baseline: Sequence[bool]) -> dict[int, int | None]:
    """Return the runs that were the best when they arrived, by index, each with the index of the run it displaced.

    ``values`` are in order of arrival and can be NaN. All baselines count from the start, whenever they were
    submitted: the first state-of-the-art run displaced the best baseline, or nothing (None) without baselines. A
    run whose value only equals the best displaces nothing.
    """
    baselines = [place for place, value in enumerate(values) if baseline[place] and not math.isnan(value)]
    top = max(baselines, key=lambda place: values[place], default=None)
    found: dict[int, int | None] = {}
    for place, value in enumerate(values):
        counts = not baseline[place] and not math.isnan(value)
        if counts and (top is None or value > values[top]):
            found[place], top = top, place
    return found
