"""What accounts refuse, and why.

AccountError
├── InvitationOver      used, withdrawn, expired or never made
├── NotAnAccount        no such person, or a name that is taken
└── TokenRefused        an API token that cannot be made or used
"""

from __future__ import annotations

from config.errors import Refusal


class AccountError(Refusal):
    """The base of everything accounts refuse."""


class InvitationOver(AccountError):
    """The invitation was used, withdrawn, has expired or never was."""


class NotAnAccount(AccountError):
    """There is no such person, or an account of that name is there already."""


class TokenRefused(AccountError):
    """An API token that cannot be made or used."""
