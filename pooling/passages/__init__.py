"""Passages of a collection: texts, near-duplicates, features."""
