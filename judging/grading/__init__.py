"""Graded judging by named assessors: topics, assignments, grades, decisions, and the resulting labels."""
