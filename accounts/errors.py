"""The errors of accounts.

AccountError
├── InvitationOver      used, withdrawn, expired or never made
├── NotAnAccount        no such person, or a name that is taken
└── TokenRefused        an API token that cannot be made or used
"""

from config.errors import Refusal


class AccountError(Refusal):
    """Base class of account errors."""


class InvitationOver(AccountError):
    """The invitation was used, withdrawn or never made, or has expired."""


class NotAnAccount(AccountError):
    """There is no such person, or an account with this name already exists."""


class TokenRefused(AccountError):
    """An API token that cannot be made or used."""
