"""Score runs under relevance labels: measures, rank correlations, intervals and per-query values.

This package imports ``cache`` and ``output``, but neither ``board`` nor ``analyses``.
"""
