"""Celery's side of the job table: rings and sweeps, nothing else."""

from celery import shared_task
from django.db import close_old_connections

from config.background import services


@shared_task
def work_off(job_id: int) -> None:
    """Do one job, if it is still to be done."""
    close_old_connections()
    services.pulse()
    services.work(job_id)


@shared_task
def sweep() -> None:
    """Ring for what nobody took."""
    close_old_connections()
    services.pulse()
    services.sweep()


@shared_task
def start(kind: str) -> None:
    """Start a scheduled job of this kind unless one is live, or the kind says that there is nothing to do."""
    close_old_connections()
    services.start_if_wanted(kind)
