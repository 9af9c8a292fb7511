"""What an address that leads nowhere, or a form that may not be sent, answers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """404: a link that was cut short, or what is gone."""
    return render(request, "marketplace/not_found.html", status=404)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """403: somebody may not do this."""
    return csrf_failure(request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 -- Django's signature
    """403: mostly a form from a page that was open too long, or from elsewhere."""
    return render(request, "marketplace/forbidden.html", status=403)
