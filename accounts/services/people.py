"""Find people by the names of their accounts."""

from __future__ import annotations

from accounts.errors import NotAnAccount
from accounts.models import User


def person_named(username: str) -> User:
    """The person whose account has this name and is in use. Raises NotAnAccount."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise NotAnAccount(
            f"Nobody here is called {username!r}.",
            "Check the name. Somebody without an account has to be invited by e-mail first.",
        )
    return user
