"""Work in the background, as calls tell of it."""

from __future__ import annotations

from typing import Any

from ninja import Schema

from config.background.models import Job
from web.services.directions import in_words


class WorkOut(Schema):
    """Work in the background: ``result`` when it is done, ``problem`` when it failed."""

    id: int
    state: str
    result: dict[str, Any] | None = None
    problem: str = ""
    next_step: str = ""


def told(job: Job) -> dict[str, Any]:
    """A job as WorkOut; what a fault of the software says is for the log alone."""
    failed = job.state == Job.State.FAILED
    known = bool(failed and job.next_step and "Traceback" not in job.failure_message)
    return {
        "id": job.pk,
        "state": str(job.state),
        "result": job.result,
        "problem": (in_words(job.failure_message) if known else "A fault of the software; it is in the log.")
        if failed
        else "",
        "next_step": in_words(job.next_step) if known else "",
    }
