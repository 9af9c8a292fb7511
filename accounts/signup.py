"""Checks whether strangers can create accounts."""

from django.conf import settings


def anybody_may_join() -> bool:
    """Return whether people can join without an invitation, by password or through the OpenID provider."""
    return bool(settings.OPEN_SIGNUP or settings.OIDC_SIGNUP)
