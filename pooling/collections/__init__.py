"""A collection's people, names, details and grants, and finding its objects by name."""
