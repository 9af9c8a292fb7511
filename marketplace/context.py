"""What every page of the site says."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, str]:  # noqa: ARG001 -- a context processor is handed the request
    """Whom to ask, as an address or in words."""
    contact = settings.CONTACT
    return {
        "contact": contact or "the people who invited you",
        "contact_email": contact if "@" in contact and " " not in contact else "",
    }
