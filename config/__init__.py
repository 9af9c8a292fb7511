"""Settings, URLs, background work and the process launcher. Contains no rules of the apps."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
