"""Analyses of a collection's runs, and campaigns that ask whether a run beats the known relevant passages."""
