"""Submissions to a track: groups and runs by task and type."""
