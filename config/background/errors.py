"""Errors of background work.

BackgroundError
├── UnknownJobKind      this kind of job is not registered
├── JobFailed           the job failed
├── LeaseLost           another worker has taken over this job; stop immediately
└── TooMuchAsked        too many jobs of this kind are already waiting
"""

from config.errors import Refusal


class BackgroundError(Refusal):
    """Base class of background errors."""


class UnknownJobKind(BackgroundError):
    """This kind of job is not registered."""

    fault = "software"


class JobFailed(BackgroundError):
    """The job failed. The message is the one that the job recorded."""


class LeaseLost(BackgroundError):
    """The job's lease expired and another worker has the job now. This process's results no longer count."""


class TooMuchAsked(BackgroundError):
    """Too many jobs of this kind are already waiting. More of them would delay all other jobs."""
