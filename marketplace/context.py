from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, str]:  # noqa: ARG001 -- context processors receive the request
    """Return the contact that pages show: the configured one or a phrase, and its e-mail address if it is one."""
    contact = settings.CONTACT
    return {
        "contact": contact or "the people who invited you",
        "contact_email": contact if "@" in contact and " " not in contact else "",
    }
