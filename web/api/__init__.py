"""`/api/v1/`: the same services, with the same rights, for scripts."""
