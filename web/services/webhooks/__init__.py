"""Webhooks: who is told of events, what they are told, and how it gets there."""
