"""Webhooks: endpoints, event messages and their delivery."""
