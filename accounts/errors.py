"""The errors of accounts.

AccountError
├── InvitationOver      used, withdrawn, expired or unknown
├── NotAnAccount        no such person, or a name that is taken
└── TokenRefused        an API token that cannot be created or used
"""

from config.errors import Refusal


class AccountError(Refusal):
    """Base class of account errors."""


class InvitationOver(AccountError):
    """The invitation was used or withdrawn, has expired, or never existed."""


class NotAnAccount(AccountError):
    """There is no such person, or an account with this name already exists."""


class TokenRefused(AccountError):
    """The API token cannot be created or used."""
