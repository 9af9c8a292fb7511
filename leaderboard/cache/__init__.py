"""Cached results: analyses and runs' values, keyed by software version and inputs.

From this app, imports only the models.
"""
