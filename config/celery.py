"""The Celery app, which wakes workers for jobs (docs/running-system.md, "Work in the background")."""

import os
from typing import Any

from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("preferee")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["config.background"], related_name="tasks")


@signals.setup_logging.connect
def keep_our_logging(**_: Any) -> None:
    """Keep our logging in workers. Celery does not set up its own logging if this signal has a receiver."""


@signals.celeryd_init.connect
def count_together(**_: Any) -> None:
    """Write the worker's metrics to the folder from which the web processes report them."""
    from config.monitoring import metrics

    metrics.share_counts()
