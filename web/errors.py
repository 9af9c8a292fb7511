"""Errors of pages, API calls and webhooks.

WebError
├── AnotherUnderWay       another job for the same object is unfinished
├── WebhookRefused        not possible in the webhook's current state
├── NoEvents              no kind of event is chosen for a webhook
├── AddressRefused        the address is not allowed for webhooks
└── BoardBeingDrawn       a job is computing the leaderboard (also a NotNow)
"""

from config.errors import NotNow, Refusal


class WebError(Refusal):
    """Base class of the errors above."""


class AnotherUnderWay(WebError):
    """Another job for the same object is waiting or running."""

    conflict = True


class WebhookRefused(WebError):
    """The action is not possible in the webhook's current state."""

    conflict = True


class NoEvents(WebError):
    """No kind of event is chosen for a webhook."""


class AddressRefused(WebError):
    """The address is not allowed for webhooks."""


class BoardBeingDrawn(WebError, NotNow):
    """A job is computing the leaderboard. Everybody can read the message."""

    seconds = 5
