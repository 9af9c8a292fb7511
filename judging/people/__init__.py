"""Decisions about people: exclusions, suspended gold pairs, rights, and published data about workers."""
