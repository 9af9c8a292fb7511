"""Bundles: one zip with a version's judgments, gold pairs, qrels, texts and facts, without unreleased data."""
