"""Filters for the worker pages."""
