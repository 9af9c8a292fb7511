"""Template variables about sign-in and sign-up."""

from django.conf import settings
from django.http import HttpRequest


def ways_in(request: HttpRequest) -> dict[str, bool]:
    """Return whether anyone can sign up (with a password, through the OpenID provider) and whether e-mail is sent."""
    return {
        "signup_open": settings.OPEN_SIGNUP,
        "provider_signup_open": settings.OIDC_SIGNUP,
        "sends_mail": settings.MAIL,
    }
