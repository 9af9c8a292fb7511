"""Graded campaigns: organizers create and track them and decide topics; assessors judge."""
