"""Every answer below the judging addresses, errors too, is fit for the crowd's frame; no request there is large.

The innermost middleware: what it puts in place of an error still passes through those that write headers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import translation
from django.utils.translation import gettext

from judging import pacing
from judging.frame_views import in_frame, language_for, refusal
from judging.refusals import REFUSALS

PREFIX = "/judge/"
#: Bytes: the longest comment and some reports, every character written as %XX.
LARGEST_FORM = 128 * 1024
#: Addresses of one page, not of everybody who takes a place or follows a trial's link.
SHARED = {"arrive", "trial"}
#: An error's status → the refusal that says it.
REASONS = {400: "garbled", 404: "unknown-link", 405: "garbled", 413: "too-large", 429: "too-fast"}
_page = in_frame(refusal)


class CrowdsFrame:
    """Middleware that bounds what comes in below ``/judge/`` and answers errors there in words."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The view's answer, or a page (for a script, JSON) about what went wrong."""
        if not request.path_info.startswith(PREFIX):
            return self.answer(request)
        if _length(request) > LARGEST_FORM:
            return _said(request, 413)
        response = self.answer(request)
        # What a view of ours answered is exempt; errors that Django made (no such address, a fault) are not.
        if response.status_code < 400 or getattr(response, "xframe_options_exempt", False) or settings.DEBUG:
            return response
        said = _said(request, response.status_code)
        for name in ("Allow", "Retry-After"):
            if words := response.get(name):
                said[name] = words
        return said

    def process_view(
        self, request: HttpRequest, _view: object, _args: object, kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """Refuse a page that asks more often than a person can, before anything is read for it."""
        match = request.resolver_match
        if match is None or match.namespace != "judging" or match.url_name in SHARED:
            return None
        wait = pacing.seconds_to_wait(kwargs["token"])
        if not wait:
            return None
        said = _said(request, 429)
        said["Retry-After"] = str(wait)
        return said


def _length(request: HttpRequest) -> int:
    word = request.META.get("CONTENT_LENGTH") or "0"
    return int(word) if word.isdecimal() else 0


def _said(request: HttpRequest, status: int) -> HttpResponse:
    """The page of an error, or for a script (which asks for no HTML) the same as JSON."""
    reason = REASONS.get(status, "our-fault")
    if "text/html" in request.headers.get("Accept", "text/html"):
        page: HttpResponse = _page(request, reason)
        page.status_code = status
        return page
    with translation.override(language_for(request)):
        message = gettext(REFUSALS[reason].title)
    reply = {"saved": False, "reason": reason, "message": message}
    return _for_scripts(request, JsonResponse(reply, status=status))


def _for_scripts(request: HttpRequest, reply: HttpResponse) -> HttpResponse:
    framed: HttpResponse = in_frame(lambda _request: reply)(request)
    # No cookie or other ambient right goes with these requests; the frame they come from may have no origin.
    framed["Access-Control-Allow-Origin"] = "*"
    framed["Access-Control-Expose-Headers"] = "Retry-After"
    return framed
