"""Comparisons of runs: outcomes, significance tests, and the claims that they support."""
