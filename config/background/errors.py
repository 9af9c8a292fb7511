"""Errors of background work.

BackgroundError
├── UnknownJobKind      this kind of job is not registered
├── JobFailed           the job failed
├── LeaseLost           another worker has taken over this job; stop immediately
└── TooMuchAsked        the collection has too many unfinished jobs of this kind
"""

from config.errors import Refusal


class BackgroundError(Refusal):
    """Base class of background errors."""


class UnknownJobKind(BackgroundError):
    """This kind of job is not registered."""

    fault = "software"


class JobFailed(BackgroundError):
    """The job failed. The message is that of :func:`config.background.failures.failure_of`."""


class LeaseLost(BackgroundError):
    """The job's lease expired and another worker has the job now. This process's results no longer count."""


class TooMuchAsked(BackgroundError):
    """The collection has too many unfinished jobs of this kind. More of them would delay all other jobs."""

    conflict = True
