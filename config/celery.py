"""The Celery app, which wakes workers for jobs (docs/architecture.md, "Work in the background")."""

import os
from typing import Any

from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("preferee")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["config.background"], related_name="tasks")


@signals.setup_logging.connect
def keep_our_logging(**_: Any) -> None:
    """Keep our logging in workers: with a receiver for this signal, Celery does not set up its own."""


@signals.celeryd_init.connect
def count_together(**_: Any) -> None:
    """Add a worker's counts to the folder that the web processes read."""
    from config.monitoring import metrics

    metrics.share_counts()
