"""Errors of the web room.

WebError
├── AnotherUnderWay       another job for the same object is running
├── WebhookRefused        not possible in the webhook's current state
├── NoEvents              no kind of event is chosen for a webhook
├── AddressRefused        the address is not allowed for webhooks
└── BoardBeingDrawn       a job is drawing the leaderboard (also a NotNow)
"""

from config.errors import NotNow, Refusal


class WebError(Refusal):
    """Base of this family."""


class AnotherUnderWay(WebError):
    """Another job for the same object is running."""


class WebhookRefused(WebError):
    """The action is not possible in the webhook's current state."""


class NoEvents(WebError):
    """No kind of event is chosen for a webhook."""


class AddressRefused(WebError):
    """The address is not allowed for webhooks."""


class BoardBeingDrawn(WebError, NotNow):
    """A job is drawing the leaderboard; its message is for everybody."""

    seconds = 5
