"""Errors of judging.

JudgingError
├── CampaignRefused      the state of the campaign does not allow this step
│   └── BadInput             the request itself is invalid
├── MayNotSpend          no spending grant covers the amount
├── NotReady             a launch check failed
│   └── AlreadyLaunched      the campaign has been launched
├── BadJudgmentFile      an invalid line in a file of judgments or gold pairs
├── ArrivalRefused       a visitor cannot open this judging page
│   └── WorkRefused          the worker cannot work on this page
└── CrowdError           the crowd refused or did not answer
    ├── CrowdLater           a retry can help
    │   └── CrowdThrottled       too many calls
    ├── CrowdAlready         done by an earlier call (a success once the result is found)
    ├── CrowdNever           a retry cannot help
    ├── CrowdMoney           the balance is too low
    └── CrowdConfiguration   keys, endpoint or qualifications are wrong
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from config.errors import Refusal

if TYPE_CHECKING:
    from judging.models import Worker


class JudgingError(Refusal):
    """Base class of judging's errors."""


class CampaignRefused(JudgingError):
    """The state of the campaign does not allow this step."""

    conflict = True


class BadInput(CampaignRefused):
    """The request itself is invalid, whatever the state of the campaign."""

    conflict = False


class MayNotSpend(JudgingError):
    """The person has no spending grant for this amount."""


class NotReady(JudgingError):
    """A launch check failed."""

    conflict = True


class AlreadyLaunched(NotReady):
    """The campaign was launched or closed, or its pilot is running, so it cannot be launched now."""


class BadJudgmentFile(JudgingError):
    """A line in a file of judgments or gold pairs is invalid."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(
            f"{file}, line {line:,}: {reason}", "Nothing was imported. Fix the line and try again."
        )
        self.file, self.line, self.reason = file, line, reason


class ArrivalRefused(JudgingError):
    """A visitor cannot open this judging page."""


class WorkRefused(ArrivalRefused):
    """The worker cannot work on this page; ``reason`` names the refusal page to show.

    ``worker`` is the refused worker, if known. ``wait`` is the number of seconds before a retry makes sense.
    """

    def __init__(self, reason: str, *, worker: Worker | None = None, wait: float = 0.0) -> None:
        super().__init__(f"No task available: {reason}.")
        self.reason, self.worker, self.wait = reason, worker, wait


class CrowdError(JudgingError):
    """The crowd refused a call or did not answer. ``error_class`` shows whether a retry can help."""

    fault = "outside"
    error_class = "later"


class CrowdLater(CrowdError):
    """A retry can help, because the crowd throttled the call, was unreachable or had a fault."""

    error_class = "later"


class CrowdThrottled(CrowdLater):
    """Too many calls in too short a time."""


class CrowdAlready(CrowdError):
    """An earlier call has already done this. ``found`` is the id in the crowd's message, if any."""

    error_class = "already"

    def __init__(self, message: str, found: str = "") -> None:
        super().__init__(message)
        self.found = found


class CrowdNever(CrowdError):
    """The call can never succeed; a retry cannot help."""

    error_class = "never"


class CrowdMoney(CrowdError):
    """The balance of the crowd account is too low."""

    error_class = "money"


class CrowdConfiguration(CrowdError):
    """The keys, the endpoint or the qualifications for calls to the crowd are wrong."""

    error_class = "configuration"
