"""Graded campaigns: organizers create, follow and decide them; assessors judge."""
