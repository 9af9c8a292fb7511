"""Invitations and API tokens."""
