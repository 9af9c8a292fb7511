"""Work in the background as calls answer it."""

from __future__ import annotations

from typing import Annotated, Any

from ninja import Schema
from pydantic import AfterValidator

from config.background.models import Job
from config.errors import Refusal
from web.services.directions import in_words
from web.services.work import Work


def _without_nul(text: str) -> str:
    """PostgreSQL keeps no NUL, and nobody types one."""
    if "\x00" in text:
        raise ValueError("A text holds no NUL character.")
    return text


Text = Annotated[str, AfterValidator(_without_nul)]
#: What to do next, kept in the words of the terminal: it is told in the API's.
NextStep = Annotated[str, AfterValidator(in_words)]


class WorkOut(Schema):
    """Work in the background: ``result`` when it is done, ``problem`` when it failed.

    ``fault`` then says whose: ``refused`` (what was asked for cannot be), ``outside`` (the crowd, the database, the
    disk or a network failed) or ``software``. ``idle`` says why it waits when no process works jobs off.
    """

    id: int | None
    state: str
    done: int = 0
    total: int = 0
    result: dict[str, Any] | None = None
    problem: str = ""
    next_step: str = ""
    fault: str = ""
    idle: str = ""


def work_out(job: Job | None) -> dict[str, Any]:
    """The job; without one, that what waits for it waits in vain."""
    work = Work(job)
    failure = work.failure or Refusal("")
    return {
        "id": job and job.pk,
        "state": str(job.state if job else Job.State.FAILED),
        "done": job.progress_done if job else 0,
        "total": job.progress_total if job else 0,
        "result": job and job.result,
        "problem": in_words(failure.message),
        "next_step": in_words(failure.next_step),
        "fault": work.fault,
        "idle": in_words(work.idle),
    }
