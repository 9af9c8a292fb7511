"""Whose fault it is that a job failed, and how people are told: the one place that knows.

What members read names no exception and quotes no traceback. The job keeps it for administrators (``Job.trace``, on
the admin pages), and the log has it.
"""

from __future__ import annotations

import errno

from django.db import InterfaceError, OperationalError

from config.background.models import Job
from config.errors import Refusal

_OUTSIDE = (OperationalError, InterfaceError, ConnectionError, TimeoutError, MemoryError)
#: What an operating system says of a disk, a network or itself.
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
    """Whether what was asked for was refused, something outside failed, or the software has a fault."""
    if isinstance(error, Refusal):
        return Job.Fault(error.fault)
    outside = isinstance(error, _OUTSIDE) or getattr(error, "errno", None) in _OUTSIDE_NUMBERS
    return Job.Fault.OUTSIDE if outside else Job.Fault.SOFTWARE


def failure_of(job: Job) -> Refusal | None:
    """Why a job failed and what to do, for anybody who may see the job; None when it has not failed."""
    if job.state != Job.State.FAILED:
        return None
    if job.fault != Job.Fault.SOFTWARE and not job.trace:
        return Refusal(job.failure_message, job.next_step)
    what = "A fault of the software stopped this"
    if job.fault == Job.Fault.OUTSIDE:
        what = "The database, the disk or a network failed while this was done"
    return Refusal(
        f"{what} (job {job.pk}).",
        f"Try again. If it fails again, tell an administrator: the log and the admin pages explain job {job.pk}.",
    )


def waits_after(job: Job) -> str:
    """Why a job that is not over waits for another try, in words; empty for one that has not tried."""
    if job.trace:
        ours = job.fault == Job.Fault.SOFTWARE
        return (
            "It failed by a fault of the software." if ours else "The database, the disk or a network failed."
        )
    return job.progress_message
