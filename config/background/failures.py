"""Classifies the cause of a failed job, and words the failure for people.

Members never see exceptions or tracebacks. Administrators find them in the job (``Job.trace``, on the admin pages)
and in the log.
"""

import errno
import re

from django.db import InterfaceError, OperationalError

from config.background.models import Job
from config.errors import Refusal

_OUTSIDE = (OperationalError, InterfaceError, ConnectionError, TimeoutError, MemoryError)
#: Operating-system errors caused by the disk, the network or the machine.
_OUTSIDE_NUMBERS = frozenset(
    {
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EIO,
        errno.EROFS,
        errno.ENOMEM,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENETUNREACH,
        errno.EHOSTUNREACH,
    }
)


def fault_of(error: BaseException) -> Job.Fault:
    """Return the cause of an error: a refused request, a failure outside the software, or a bug in the software."""
    if isinstance(error, Refusal):
        return Job.Fault(error.fault)
    written = re.search(r"\(os error (\d+)\)", str(error))  # polars names the number in its text only
    number = int(written[1]) if written else getattr(error, "errno", None)
    outside = isinstance(error, _OUTSIDE) or number in _OUTSIDE_NUMBERS
    return Job.Fault.OUTSIDE if outside else Job.Fault.SOFTWARE


def failure_of(job: Job) -> Refusal | None:
    """Return why a job failed and what to do, in words for anyone who can see the job. None if it has not failed."""
    if job.state != Job.State.FAILED:
        return None
    if job.fault != Job.Fault.SOFTWARE and not job.trace:
        return Refusal(job.failure_message, job.next_step)
    what = "A software error stopped this"
    if job.fault == Job.Fault.OUTSIDE:
        what = "The database, the disk or a network failed during this work"
    return Refusal(
        f"{what} (job {job.pk}).",
        f"Try again. If it fails again, tell an administrator: the log and the admin pages explain job {job.pk}.",
    )


def waits_after(job: Job) -> str:
    """Return a sentence that says why a job waits for another try, or "" if it has not been tried."""
    if job.trace:
        ours = job.fault == Job.Fault.SOFTWARE
        return "A software error stopped it." if ours else "The database, the disk or a network failed."
    return job.progress_message
