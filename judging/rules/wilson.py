"""Wilson's confidence interval for a share."""

import math


def wilson(part: int, whole: int) -> tuple[float, float] | None:
    """Return Wilson's 95% score interval for the share ``part / whole`` as (low, high); None if ``whole`` is 0."""
    if not whole:
        return None
    z, share = 1.959964, part / whole
    middle = (share + z * z / (2 * whole)) / (1 + z * z / whole)
    half = z * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole)) / (1 + z * z / whole)
    return max(0.0, middle - half), min(1.0, middle + half)
