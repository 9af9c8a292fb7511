"""Reusability of labels: density of relevant passages, unjudged passages and left-out runs."""
