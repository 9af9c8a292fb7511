"""What every page may say about getting in."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def ways_in(request: HttpRequest) -> dict[str, bool]:
    """How people get an account by themselves, if at all, and whether this installation sends e-mail."""
    return {
        "signup_open": settings.OPEN_SIGNUP,
        "provider_signup_open": settings.OIDC_SIGNUP,
        "sends_mail": settings.MAIL,
    }
