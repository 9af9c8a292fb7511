"""Cached results: analyses and runs' values, with keys made from the software version and the inputs.

This package imports nothing else of this app but the models.
"""
