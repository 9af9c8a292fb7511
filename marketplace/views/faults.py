from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from marketplace.errors import MarketplaceError, WorkerRefused

#: The status of a refusal, by its reason; 409 for all others.
_STATUS = {
    "malformed": 400,
    "blocked": 403,
    "closed": 403,
    "not_qualified": 403,
    "unknown": 404,
    "unknown_group": 404,
    "wrong": 422,
    "throttled": 429,
}


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """Show the page for status 404: the link is incomplete, or the page is gone."""
    return render(request, "marketplace/not_found.html", status=404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """Show the page for status 400: an unknown host name, too many form fields, or an invalid URL."""
    return render(request, "marketplace/bad_request.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """Show the page for status 403."""
    return csrf_failure(request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """Show the page for status 403.

    The form usually came from another site, or from a page that was open too long.
    """
    return render(request, "marketplace/forbidden.html", status=403)


def refusal_status(refusal: WorkerRefused) -> int:
    return _STATUS.get(refusal.reason, 409)


def refused_worker_page(request: HttpRequest, refusal: WorkerRefused) -> HttpResponse:
    """Show why a worker's action was refused, with the HTTP status that belongs to the reason."""
    return refused_page(request, refusal, refusal.reason, refusal_status(refusal))


def refused_page(
    request: HttpRequest, refusal: MarketplaceError, reason: str, status: int = 403
) -> HttpResponse:
    """Show why an action was refused, and what to do next."""
    context = {"refusal": refusal, "reason": reason}
    return render(request, "marketplace/refused.html", context, status=status)
