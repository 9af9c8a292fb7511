"""Middleware for the URLs under ``/judge/``: let the crowd's frame show error pages too, and limit requests.

This is the innermost middleware, so its error pages still pass through the middleware that sets headers.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import translation
from django.utils.translation import gettext

from judging.page import page_limits
from judging.page.frame_views import in_frame, language_for, refusal
from judging.rules.refusals import REFUSALS

PREFIX = "/judge/"
#: The maximum size of a request in bytes: the longest comment and several reports, fully percent-encoded.
LARGEST_FORM = 128 * 1024
#: The names of URLs that many people share. The other URLs belong to one submission each.
SHARED = {"arrive", "trial"}
#: Maps an HTTP status to the refusal shown for it.
REASONS = {400: "garbled", 404: "unknown-link", 405: "garbled", 413: "too-large", 429: "too-fast"}
_page = in_frame(refusal)


class CrowdsFrame:
    """Middleware that limits the size and rate of requests under ``/judge/`` and renders errors there for workers."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the view's response, or our own error page (JSON for a script) in place of one from Django."""
        if not request.path_info.startswith(PREFIX):
            return self.answer(request)
        if _content_length(request) > LARGEST_FORM:
            return _error_response(request, 413)
        response = self.answer(request)
        # Responses of our views are exempt; errors that Django generated (unknown address, server error) are not.
        if response.status_code < 400 or getattr(response, "xframe_options_exempt", False) or settings.DEBUG:
            return response
        said = _error_response(request, response.status_code)
        for name in ("Allow", "Retry-After"):
            if words := response.get(name):
                said[name] = words
        return said

    def process_view(
        self, request: HttpRequest, _view: object, _args: object, kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """Return an error if a page sends more requests than a person can, otherwise None.

        This is decided before any database query is made for the page.
        """
        match = request.resolver_match
        if match is None or match.namespace != "judging" or match.url_name in SHARED:
            return None
        wait = page_limits.request_pause(kwargs["token"])
        if not wait:
            return None
        said = _error_response(request, 429)
        said["Retry-After"] = str(wait)
        return said


def _content_length(request: HttpRequest) -> int:
    word = request.META.get("CONTENT_LENGTH") or "0"
    return int(word) if word.isdecimal() else 0


def _error_response(request: HttpRequest, status: int) -> HttpResponse:
    """Return the error page for this status, or its title as JSON for a script, which does not accept HTML."""
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
    # These requests carry no cookie or other ambient authority, and the frame they come from may have no origin.
    framed["Access-Control-Allow-Origin"] = "*"
    framed["Access-Control-Expose-Headers"] = "Retry-After"
    return framed
