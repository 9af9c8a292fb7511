"""Runs: upload, check, list and describe them."""
