"""Score runs under relevance labels: measures, rank correlations, intervals and per-query values.

Imports ``cache`` and ``output``, but neither boards nor analyses.
"""
