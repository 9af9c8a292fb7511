"""Graded judging by assessors or a crowd: topics, assignments, grades, decisions, and the resulting labels."""
