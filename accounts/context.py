"""Template variables about sign-in and sign-up."""

from django.conf import settings
from django.http import HttpRequest


def ways_in(request: HttpRequest) -> dict[str, bool]:
    """Return whether sign-up by password, sign-up through the OpenID provider, and e-mail are enabled."""
    return {
        "signup_open": settings.OPEN_SIGNUP,
        "provider_signup_open": settings.OIDC_SIGNUP,
        "sends_mail": settings.MAIL,
    }
