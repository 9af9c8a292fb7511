"""Leaderboards as pages show them, and their submission rules."""
