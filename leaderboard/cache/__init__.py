"""Cached results: analyses and runs' values, keyed by software version and inputs.

Imports nothing else of the room but its models.
"""
