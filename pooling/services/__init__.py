"""Pooling services: they load rows, call pure functions and save the results."""
