from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, str]:  # noqa: ARG001 -- a context processor is handed the request
    """Return the contact address, or words if there is none."""
    contact = settings.CONTACT
    return {
        "contact": contact or "the people who invited you",
        "contact_email": contact if "@" in contact and " " not in contact else "",
    }
