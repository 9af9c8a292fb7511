"""A background job as pages and the API show it: waiting, running, done or failed, and why."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.template.defaultfilters import filesizeformat

from config import clock
from config.background.failures import failure_of
from config.background.models import Job
from config.background.services import START_WORKERS, nobody_at_work
from config.errors import Refusal

#: Shown when something waits for a job that was never started because a process ended at the wrong moment.
LOST = Refusal("The background job for this was never started.", "Try again.")


@dataclass(frozen=True)
class Work:
    """A job's state for pages and the API; ``job`` is None if something waits for a job that does not exist."""

    job: Job | None

    @property
    def live(self) -> bool:
        """Whether the job is waiting or running."""
        return self.job is not None and self.job.state in (Job.State.WAITING, Job.State.RUNNING)

    @property
    def done(self) -> bool:
        return self.job is not None and self.job.state == Job.State.DONE

    @property
    def failed(self) -> bool:
        return self.failure is not None

    @cached_property
    def failure(self) -> Refusal | None:
        """Why the job failed and what to do; None if it has not failed."""
        return LOST if self.job is None else failure_of(self.job)

    @property
    def fault(self) -> str:
        """The kind of failure: ``refused``, ``outside`` or ``software``; empty if it has not failed."""
        if self.job is None:
            return str(Job.Fault.SOFTWARE)
        return str(self.job.fault) if self.failed else ""

    @cached_property
    def idle(self) -> str:
        """Why the job waits if no job worker is running, else an empty string."""
        if self.job is None or not self.live:
            return ""
        held = self.job.leased_until
        if self.job.state == Job.State.RUNNING and (held is None or held > clock.now()):
            return ""  # a command that runs the job sends no heartbeat
        nobody = nobody_at_work()
        return f"{nobody} {START_WORKERS}" if nobody else ""

    @property
    def progress(self) -> str:
        """The progress in words. A job without a message is reading files, so its progress is in bytes."""
        if self.job is None:
            return ""
        done, total, words = self.job.progress_done, self.job.progress_total, self.job.progress_message
        if not words:
            return f"{filesizeformat(done)} of {filesizeformat(total)} read"
        return f"{words}: {done} of {total}" if total > 1 else words

    @property
    def result(self) -> dict[str, Any]:
        return (self.job and self.job.result) or {}
