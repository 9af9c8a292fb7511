"""Errors of background work.

BackgroundError
├── UnknownJobKind      nobody registered this kind of job
├── JobFailed           the job ended in a named failure
├── LeaseLost           another worker has taken this job over; stop at once
└── TooMuchAsked        so much of this work waits already that more is refused
"""

from config.errors import Refusal


class BackgroundError(Refusal):
    """Base of this family."""


class UnknownJobKind(BackgroundError):
    """Nobody registered this kind of job."""

    fault = "software"


class JobFailed(BackgroundError):
    """The job ended in a named failure."""


class LeaseLost(BackgroundError):
    """The job's lease lapsed and somebody else holds it now; what this process does no longer counts."""


class TooMuchAsked(BackgroundError):
    """So much of this work waits already that more would hold everything else up."""
