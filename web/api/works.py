"""Work in the background as calls answer it."""

from __future__ import annotations

from typing import Annotated, Any

from ninja import Schema
from pydantic import AfterValidator

from config.background.models import Job
from web.services.directions import in_words


def _without_nul(text: str) -> str:
    """PostgreSQL keeps no NUL, and nobody types one."""
    if "\x00" in text:
        raise ValueError("A text holds no NUL character.")
    return text


Text = Annotated[str, AfterValidator(_without_nul)]
#: What to do next, kept in the words of the terminal: it is told in the API's.
NextStep = Annotated[str, AfterValidator(in_words)]


class WorkOut(Schema):
    """Work in the background: ``result`` when it is done, ``problem`` when it failed."""

    id: int
    state: str
    done: int = 0
    total: int = 0
    result: dict[str, Any] | None = None
    problem: str = ""
    next_step: str = ""


def work_out(job: Job) -> dict[str, Any]:
    """The job; what a fault of the software says is for the log alone."""
    failed = job.state == Job.State.FAILED
    known = bool(failed and job.next_step and "Traceback" not in job.failure_message)
    told = in_words(job.failure_message) if known else "A fault of the software; it is in the log."
    return {
        "id": job.pk,
        "state": str(job.state),
        "done": job.progress_done,
        "total": job.progress_total,
        "result": job.result,
        "problem": told if failed else "",
        "next_step": in_words(job.next_step) if known else "",
    }
