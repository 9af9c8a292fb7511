"""Runs: imported, described, and checked against candidate sets."""
