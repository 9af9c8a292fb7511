"""The errors of accounts.

AccountError
├── InvitationOver      used, withdrawn, expired or unknown
├── NotAnAccount        no such person, a name that is taken, or an invalid e-mail address
└── TokenRefused        an API token that cannot be created or used
"""

from config.errors import Refusal


class AccountError(Refusal):
    """Base class of account errors."""


class InvitationOver(AccountError):
    """The invitation was used or withdrawn, has expired, or never existed."""


class NotAnAccount(AccountError):
    """There is no such person, an account with this name already exists, or an e-mail address is invalid."""


class TokenRefused(AccountError):
    """The API token cannot be created or used."""
