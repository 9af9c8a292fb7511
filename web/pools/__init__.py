"""Pools: planned, built, shown."""
