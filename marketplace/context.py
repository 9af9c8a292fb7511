from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, str]:  # noqa: ARG001 -- context processors receive the request
    """Return the contact address, or a phrase to show if none is set."""
    contact = settings.CONTACT
    return {
        "contact": contact or "the people who invited you",
        "contact_email": contact if "@" in contact and " " not in contact else "",
    }
