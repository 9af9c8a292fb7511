"""Whether strangers get accounts by themselves."""

from __future__ import annotations

from django.conf import settings


def anybody_may_join() -> bool:
    """Whether people get accounts without an invitation: with a password, or through the OpenID provider."""
    return bool(settings.OPEN_SIGNUP or settings.OIDC_SIGNUP)
