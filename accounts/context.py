"""Template variables about signing in and up."""

from django.conf import settings
from django.http import HttpRequest


def ways_in(request: HttpRequest) -> dict[str, bool]:
    """Return whether and how people can create an account themselves, and whether this installation sends e-mail."""
    return {
        "signup_open": settings.OPEN_SIGNUP,
        "provider_signup_open": settings.OIDC_SIGNUP,
        "sends_mail": settings.MAIL,
    }
