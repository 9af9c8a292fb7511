"""What an address that leads nowhere, or a form that may not be sent, answers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """404: a link that was cut short, or what is gone."""
    return render(request, "marketplace/not_found.html", status=404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """400: another host's name, a form with too much in it, an address that no text has."""
    return render(request, "marketplace/bad_request.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """403: somebody may not do this."""
    return csrf_failure(request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """403: mostly a form from a page that was open too long, or from elsewhere."""
    return render(request, "marketplace/forbidden.html", status=403)
