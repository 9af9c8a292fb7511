"""Errors of judging.

JudgingError
├── CampaignRefused      a step of a campaign that cannot be taken as things stand
│   └── BadInput             what was asked is wrong in itself, however things stand
├── MayNotSpend          a person without a spending grant for it
├── NotReady             a launch check that failed
│   └── AlreadyLaunched      there is no second launch
├── BadJudgmentFile      a file of judgments or gold pairs, with file and line
├── ArrivalRefused       somebody came to a judging page without what it needs
│   └── WorkRefused          the page can't be worked on
└── CrowdError           the crowd refused or did not answer
    ├── CrowdLater           trying again can help
    │   └── CrowdThrottled       there were too many calls
    ├── CrowdAlready         it was done before (success, once found again)
    ├── CrowdNever           it will never succeed as it is
    ├── CrowdMoney           there is not enough money
    └── CrowdConfiguration   keys, endpoint or qualifications are wrong
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from config.errors import Refusal

if TYPE_CHECKING:
    from judging.models import Worker


class JudgingError(Refusal):
    """Base of this family."""


class CampaignRefused(JudgingError):
    """A step of a campaign that cannot be taken as things stand: a conflict."""


class BadInput(CampaignRefused):
    """What was asked is wrong in itself, whatever the state of the campaign."""


class MayNotSpend(JudgingError):
    """The person has no spending grant for this amount."""


class NotReady(JudgingError):
    """A launch check that failed."""


class AlreadyLaunched(NotReady):
    """There is no second launch."""


class BadJudgmentFile(JudgingError):
    """A file of judgments or gold pairs is not as it must be."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(
            f"{file}, line {line:,}: {reason}", "Nothing was imported. Mend the line and try again."
        )
        self.file, self.line, self.reason = file, line, reason


class ArrivalRefused(JudgingError):
    """Somebody came to a judging page without what it needs."""


class WorkRefused(ArrivalRefused):
    """The page can't be worked on; ``reason`` names the refusal page that says why.

    ``worker`` is who was refused, if known; ``wait`` the seconds after which the same may be tried again.
    """

    def __init__(self, reason: str, *, worker: Worker | None = None, wait: float = 0.0) -> None:
        super().__init__(f"No task now: {reason}.")
        self.reason, self.worker, self.wait = reason, worker, wait


class CrowdError(JudgingError):
    """The crowd refused a call or did not answer. ``error_class`` says whether trying again can help."""

    fault = "outside"
    error_class = "later"


class CrowdLater(CrowdError):
    """Trying again can help: throttled, unreachable, a fault of the crowd's."""

    error_class = "later"


class CrowdThrottled(CrowdLater):
    """There were too many calls in too short a time."""


class CrowdAlready(CrowdError):
    """The crowd has done this before; ``found`` is the id it named, if any."""

    error_class = "already"

    def __init__(self, message: str, found: str = "") -> None:
        super().__init__(message)
        self.found = found


class CrowdNever(CrowdError):
    """It will never succeed as it is."""

    error_class = "never"


class CrowdMoney(CrowdError):
    """There is not enough money on the crowd's account."""

    error_class = "money"


class CrowdConfiguration(CrowdError):
    """Keys, endpoint or qualifications are wrong."""

    error_class = "configuration"
