"""What every page may say about getting in."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def ways_in(request: HttpRequest) -> dict[str, bool]:
    """Whether anybody may make an account, and whether this installation sends e-mail."""
    return {"signup_open": settings.OPEN_SIGNUP, "sends_mail": settings.MAIL}
