"""Background work on pages: why it failed."""

from __future__ import annotations

from config.background.models import Job
from config.errors import Refusal


def failure_of(job: Job) -> Refusal | None:
    """Why a job failed, for a page; what a fault of the software says is for the log alone."""
    if job.state != Job.State.FAILED:
        return None
    if "Traceback" in job.failure_message or not job.next_step:
        return Refusal("It failed by a fault of the software.", "The log says more.")
    return Refusal(job.failure_message, job.next_step)
