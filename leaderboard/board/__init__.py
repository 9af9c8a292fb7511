"""The leaderboard of a collection: runs ranked under official and preference qrels, and how ranks change.

Imports ``scoring``.
"""
