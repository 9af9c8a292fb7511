"""The requester endpoint and the worker pages."""
