"""Compares preferences with grades: how often the preferred passage of a pair has the higher grade."""
