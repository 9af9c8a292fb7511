from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from marketplace.errors import MarketplaceError


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """404: the link is incomplete, or the page is gone."""
    return render(request, "marketplace/not_found.html", status=404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """400: an unknown host name, too many form fields, or an invalid address."""
    return render(request, "marketplace/bad_request.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """403: no permission."""
    return csrf_failure(request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """403: usually a form from a page that was open too long, or from another site."""
    return render(request, "marketplace/forbidden.html", status=403)


def refused_page(
    request: HttpRequest, refusal: MarketplaceError, reason: str, status: int = 403
) -> HttpResponse:
    """Show why an action was refused, and what to do next."""
    context = {"refusal": refusal, "reason": reason}
    return render(request, "marketplace/refused.html", context, status=status)
