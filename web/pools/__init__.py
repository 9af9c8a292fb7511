"""Pools: plan, build and show them."""
