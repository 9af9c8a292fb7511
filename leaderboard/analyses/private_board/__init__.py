"""Runs on public and private queries, and teams that gain only on public queries."""
