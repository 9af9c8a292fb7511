"""Who looks after the installation."""

from __future__ import annotations

from accounts.models import User
from accounts.signup import anybody_may_join

MOST_NAMED = 3


def whom_to_ask() -> str:
    """Administrators by name, for people who need something of them; unnamed where strangers have accounts."""
    names: list[str] = []
    if not anybody_may_join():
        active = User.objects.filter(is_superuser=True, is_active=True).order_by("username")
        names = list(active.values_list("username", flat=True)[:MOST_NAMED])
    return f"an administrator ({' or '.join(names)})" if names else "an administrator of this installation"
