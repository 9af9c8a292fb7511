"""Lets commands wait for jobs. If no other process runs jobs, the command's process runs them."""

import time
from typing import Any

from django.conf import settings

from config import clock
from config.background import services
from config.background.errors import JobFailed
from config.background.failures import failure_of
from config.background.job_kinds import Progress
from config.background.models import Job


def attend(job: Job, *, progress: Progress | None = None, poll_seconds: float = 0.2) -> Job:
    """Wait until ``job`` is over, and return it. Run it in this process if no other process runs jobs.

    A postponed job is tried immediately, because the caller may have fixed the cause. If the job fails, raises
    :class:`JobFailed` with the message of :func:`failure_of`.
    """
    services.hurry(Job.objects.filter(pk=job.pk))
    while job.state in (Job.State.WAITING, Job.State.RUNNING):
        services.free_from_the_dead(job)
        if services.somebody_at_work() or not services.run_job(job.pk, watcher=progress):
            time.sleep(poll_seconds)
        job.refresh_from_db()
        if progress and job.progress_total:
            progress(job.progress_done, job.progress_total, job.progress_message)
    if failure := failure_of(job):
        failed = JobFailed(failure.message, failure.next_step)
        failed.fault = job.fault or failed.fault
        raise failed
    return job


def work_off_what_is_due() -> int:
    """Run every job that is due and free, and the jobs that these start. Return the number of jobs run.

    Does not wait for jobs that other processes are running.
    """
    done = 0
    while due := list(
        Job.objects.leasable(clock.now()).order_by("run_after").values_list("pk", flat=True)[:50]
    ):
        done += sum(services.run_job(job_id) for job_id in due)
    return done


def run_schedule() -> None:
    """Start a job of each scheduled kind and wait for it. Then run all other jobs that are due.

    Does not wait for other jobs that are already running, because one of them may be the caller.
    """
    schedule: dict[str, dict[str, Any]] = settings.CELERY_BEAT_SCHEDULE
    for entry in schedule.values():
        for kind in entry.get("args", []):
            attend(services.start(kind))
    work_off_what_is_due()
