"""Metrics, logs and health checks of a running process."""
