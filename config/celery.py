"""The Celery app: the doorbell of the job table (docs/architecture.md, "Work in the background")."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("preferee")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["config.background"], related_name="tasks")
