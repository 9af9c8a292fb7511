"""Error pages for broken links and refused forms."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


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
