"""Runs: uploaded, checked, listed, described."""
