from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, object]:  # noqa: ARG001 -- context processors receive the request
    """Return the ways to be paid, and the contact, also as ``contact_email`` if it is an e-mail address.

    If no contact is configured, a phrase takes its place.
    """
    contact = settings.CONTACT
    return {
        "contact": contact or "the people who invited you",
        "contact_email": contact if "@" in contact and " " not in contact else "",
        "methods": settings.PAYOUT_METHODS,
    }
