"""Pools: the passages to judge, planned and built from runs."""
