"""Celery tasks that run jobs, start scheduled jobs, and wake workers for jobs that no worker took."""

from celery import shared_task
from django.db import close_old_connections

from config.background import services


@shared_task
def work_off(job_id: int) -> None:
    """Run a job if it is still due."""
    close_old_connections()
    services.pulse()
    services.run_job(job_id)


@shared_task
def sweep() -> None:
    """Wake workers for due jobs that no worker took."""
    close_old_connections()
    services.pulse()
    services.ring_due_jobs()


@shared_task
def start(kind: str) -> None:
    """Start a scheduled job of this kind, unless one is live or there is nothing to do."""
    close_old_connections()
    services.start_if_wanted(kind)
