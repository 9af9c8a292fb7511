"""Analyses of a collection's runs, and campaigns that ask whether a run is better than perfect."""
