"""Middleware that requires a second factor from administrators if ADMIN_SECOND_FACTOR is on."""

from collections.abc import Callable
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

#: URL names of pages that people need to set up a second factor or to sign out.
ON_THE_WAY = frozenset({"account_logout", "account_reauthenticate"})
#: Beginnings of paths that ignore sessions: workers' pages, and the API, which only accepts tokens.
WITHOUT_SESSIONS = ("/judge/", "/api/")
WORDS = "Administrators need a second factor here. Set up an authenticator app to continue."


class RequireSecondFactor:
    """Middleware that redirects administrators without a second factor to the page where they set one up."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on; ``process_view`` does the check."""
        return self.answer(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        """Redirect an administrator without a second factor to the set-up page."""
        if not settings.ADMIN_SECOND_FACTOR or request.path_info.startswith(WITHOUT_SESSIONS):
            return None
        name = request.resolver_match.url_name if request.resolver_match else None
        if (
            (name or "") in ON_THE_WAY
            or (name or "").startswith("mfa_")
            or not _lacks_second_factor(request.user)
        ):
            return None
        messages.warning(request, WORDS)
        if "HX-Request" in request.headers:  # HTMX asked for a part of a page: redirect the whole page
            return HttpResponse(headers={"HX-Redirect": reverse("mfa_activate_totp")})
        return redirect("mfa_activate_totp")


def _lacks_second_factor(user: Any) -> bool:
    return (user.is_superuser or user.is_staff) and not is_mfa_enabled(user)
