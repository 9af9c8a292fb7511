"""Find people by the names of their accounts."""

from __future__ import annotations

from accounts.errors import NotAnAccount
from accounts.models import User


def person_named(username: str) -> User:
    """Return the person with this account name, if the account is active. Raises NotAnAccount."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise NotAnAccount(
            f"There is no account named {username!r}.",
            "Check the name. If the person has no account, invite them by e-mail first.",
        )
    return user
