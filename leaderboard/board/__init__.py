"""The leaderboard of a collection: runs ranked under official and preference qrels, and how ranks change.

This package imports ``scoring``.
"""
