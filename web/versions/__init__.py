"""Versions of the preference qrels: their queries and changes, and publishing the next one."""
