"""The errors of the marketplace.

MarketplaceError
├── ProtocolError (a call is refused; marketplace.protocol.wire_format turns it into a response)
│   ├── RequestError, ServiceFault            the two errors of the service model
│   ├── ValidationException, SerializationException, ParameterValidationError
│   ├── ThrottlingException, UnknownOperationException, UnsupportedOperationException
│   └── MissingAuthenticationTokenException, IncompleteSignatureException,
│       UnrecognizedClientException, InvalidSignatureException
├── WorkerRefused (a worker cannot do something)
│   ├── TaskRefused (take or submit a task)
│   ├── QualificationRefused (request a qualification)
│   ├── LetterRefused (send a message to a requester)
│   └── SignInRefused (sign in, or prove ownership of the account; also an AccountRefused)
├── SweepFailed (some steps of a sweep failed; the others succeeded)
└── AccountRefused (an account, key or link cannot be created, changed, used or erased)
    └── PayoutRefused (a payout cannot be created or recorded)
"""

PREFIX = "AWS.MechanicalTurk."


class MarketplaceError(Exception):
    """Base class of the marketplace's errors. The message says what happened, ``next_step`` what to do."""

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()


class ProtocolError(MarketplaceError):
    """A requester's call is refused. The class name is the error code in the response.

    ``headers`` of the response tell programs what the protocol has no member for.
    """

    status = 400

    def __init__(self, message: str, turk_code: str = "") -> None:
        super().__init__(message)
        self.turk_code = turk_code
        self.headers: dict[str, str] = {}

    @property
    def code(self) -> str:
        """The error's name in the protocol."""
        return type(self).__name__


class RequestError(ProtocolError):
    """The call breaks a rule of the service; ``turk_code`` names the rule, without :data:`PREFIX`."""

    def __init__(self, turk_code: str, message: str) -> None:
        super().__init__(message, PREFIX + turk_code)


class ServiceFault(ProtocolError):
    """The service failed; a retry may succeed."""

    status = 500

    def __init__(self) -> None:
        super().__init__(
            "The service is temporarily unable to process your request. Try again.", "AWS.ServiceUnavailable"
        )


class ValidationException(ProtocolError):
    """The request breaks constraints of the service model."""


class SerializationException(ProtocolError):
    """The request is not JSON, or a member has the wrong type."""


class ParameterValidationError(ProtocolError):
    """A value is allowed by the service model, but not by the service."""

    def __init__(self, parameter: str, value: object, reason: str = "") -> None:
        shown = str(value)
        shown = shown if len(shown) <= 100 else shown[:100] + "…"
        super().__init__(
            f'The value "{shown}" is not valid for the parameter {parameter}. {reason}'.strip(),
            PREFIX + "InvalidParameterValue",
        )


class ThrottlingException(ProtocolError):
    """Too many calls per second."""

    def __init__(self) -> None:
        super().__init__("Rate exceeded")


class UnknownOperationException(ProtocolError):
    """The service model has no such operation."""


class UnsupportedOperationException(ProtocolError):
    """The service model has the operation, but this marketplace does not."""


class MissingAuthenticationTokenException(ProtocolError):
    """The request is not signed."""

    def __init__(self) -> None:
        super().__init__("Request is missing Authentication Token")


class IncompleteSignatureException(ProtocolError):
    """The header ``Authorization`` or ``X-Amz-Date`` is missing a part or cannot be parsed."""


class UnrecognizedClientException(ProtocolError):
    """The access key is unknown."""

    def __init__(self) -> None:
        super().__init__("The security token included in the request is invalid.")


class InvalidSignatureException(ProtocolError):
    """The signature is wrong, more than 15 minutes old or early, or made for another service or region."""


class WorkerRefused(MarketplaceError):
    """A worker cannot do something. ``reason`` is a stable code for programs."""

    def __init__(self, reason: str, message: str, next_step: str = "") -> None:
        super().__init__(message, next_step)
        self.reason = reason


class TaskRefused(WorkerRefused):
    """A worker cannot take or submit a task."""


class QualificationRefused(WorkerRefused):
    """A worker cannot request a qualification."""


class LetterRefused(WorkerRefused):
    """A worker's message to a requester is not accepted."""


class SweepFailed(MarketplaceError):
    """Some steps of a sweep failed; the others succeeded."""

    def __init__(self, name: str, failures: list[str]) -> None:
        listed = ", ".join(failures[:5]) + (f" and {len(failures) - 5} more" if len(failures) > 5 else "")
        super().__init__(f"{name}: {listed} failed.", "The log says why. All other steps are done.")
        self.failures = failures


class AccountRefused(MarketplaceError):
    """An account, a key or a link cannot be created, changed, used or erased."""


class SignInRefused(WorkerRefused, AccountRefused):
    """A worker cannot sign in, or cannot prove ownership of the account."""


class PayoutRefused(AccountRefused):
    """A payout cannot be created or recorded."""
