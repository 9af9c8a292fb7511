"""Errors of the web room.

WebError
└── AnotherUnderWay       other work on the same thing is under way
"""

from config.errors import Refusal


class WebError(Refusal):
    """Base of this family."""


class AnotherUnderWay(WebError):
    """Other work on the same thing is under way."""
