"""Graded campaigns: made, followed and decided by organizers, judged by assessors."""
