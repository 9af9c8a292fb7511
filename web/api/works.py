"""Background jobs as the API returns them."""

from typing import Annotated, Any

from django.http import HttpResponse
from django.urls import reverse
from ninja import Schema, Status
from pydantic import AfterValidator

from config.background.models import Job
from config.errors import Refusal
from web.api.caller_guidance import Guided
from web.common.job_progress import Work


def _without_nul(text: str) -> str:
    """Reject NUL characters, which PostgreSQL cannot store."""
    if "\x00" in text:
        raise ValueError("Text cannot contain a NUL character.")
    return text


Text = Annotated[str, AfterValidator(_without_nul)]


class WorkOut(Schema):
    """A background job, with a ``result`` when it is done, or a ``problem`` and ``next_step`` if it failed.

    ``fault`` is the cause of a failure: ``refused`` (the request cannot be fulfilled), ``outside`` (the crowd,
    database, disk or network failed) or ``software``. ``idle`` is a notice if no job worker is running.
    """

    id: int | None
    state: str
    done: int = 0
    total: int = 0
    result: dict[str, Any] | None = None
    problem: Guided = ""
    next_step: Guided = ""
    fault: str = ""
    idle: Guided = ""


def work_accepted(response: HttpResponse, call: str, name: str, job: Job) -> Status[dict[str, Any]]:
    """Return the reply to a request for a job: 200 if it is done, else 202, with the address of its progress.

    ``call`` is the call that gets the progress of the jobs of this collection or campaign.
    """
    response["Location"] = reverse(f"v1:{call}", args=[name, job.pk])
    return Status(200 if job.state == Job.State.DONE else 202, work_out(job))


def work_out(job: Job | None) -> dict[str, Any]:
    """Return the response for a job. If ``job`` is None, report a failure: the job was never started."""
    work = Work(job)
    failure = work.failure or Refusal("")
    return {
        "id": job and job.pk,
        "state": str(job.state if job else Job.State.FAILED),
        "done": job.progress_done if job else 0,
        "total": job.progress_total if job else 0,
        "result": job and job.result,
        "problem": failure.message,
        "next_step": failure.next_step,
        "fault": work.fault,
        "idle": work.idle,
    }
