"""Exchange with a crowd: calls that take effect once, recovered places, lookup limits, signed tokens."""
