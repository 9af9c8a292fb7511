"""Errors of the web room.

WebError
├── AnotherUnderWay       other work on the same thing is under way
├── WebhookRefused        it cannot be done with this webhook as things stand
├── NoEvents              a webhook that would be told of nothing
└── AddressRefused        messages do not go to this address
"""

from config.errors import Refusal


class WebError(Refusal):
    """Base of this family."""


class AnotherUnderWay(WebError):
    """Other work on the same thing is under way."""


class WebhookRefused(WebError):
    """It cannot be done with this webhook as things stand."""


class NoEvents(WebError):
    """A webhook that would be told of nothing."""


class AddressRefused(WebError):
    """Messages do not go to this address."""
