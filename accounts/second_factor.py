"""Administrators can do anything here, so where a setting says so, a password alone is not enough for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

#: Pages that somebody needs on the way to a second factor, or to leave.
ON_THE_WAY = frozenset({"account_logout", "account_reauthenticate"})
#: No session counts there: workers' pages, and the API, which takes tokens alone.
WITHOUT_SESSIONS = ("/judge/", "/api/")
WORDS = "Administrators sign in with a second factor here. Set up an authenticator app to go on."


class RequireSecondFactor:
    """Middleware that leads administrators without a second factor to set one up before anything else."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The page."""
        return self.answer(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        """Send an administrator without a second factor to the page that sets it up."""
        if not settings.ADMIN_SECOND_FACTOR or request.path_info.startswith(WITHOUT_SESSIONS):
            return None
        name = request.resolver_match.url_name if request.resolver_match else None
        if (name or "") in ON_THE_WAY or (name or "").startswith("mfa_") or not _lacks_one(request.user):
            return None
        messages.warning(request, WORDS)
        if "HX-Request" in request.headers:  # a part of a page was asked for: the whole page goes there
            return HttpResponse(headers={"HX-Redirect": reverse("mfa_activate_totp")})
        return redirect("mfa_activate_totp")


def _lacks_one(user: Any) -> bool:
    return (user.is_superuser or user.is_staff) and not is_mfa_enabled(user)
