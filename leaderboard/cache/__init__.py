"""Cached results: analyses and runs' values, keyed by software version and inputs.

Of this app, it imports only the models.
"""
