"""Every request: the addresses that machines ask, and the time that each page takes.

Load balancers and Prometheus ask by a machine's own address, over plain HTTP. So they are answered before host names
are checked and before anything is sent on to HTTPS.
"""

from __future__ import annotations

import ipaddress
import logging
import secrets
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from config import health, metrics

logger = logging.getLogger("preferee.requests")
REQUESTS = metrics.Count(
    "preferee_requests", "Requests answered, by view, method and status.", ("view", "method", "status")
)
SECONDS = metrics.Timing("preferee_request_seconds", "How long requests took, by view.", ("view",))
METHODS = {"GET", "HEAD", "POST"}
#: A proxy adds one of these: then the request comes from outside, whatever address it seems to come from.
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "X-Forwarded-Proto", "X-Forwarded-Host")

Answer = Callable[[HttpRequest], HttpResponse]


@never_cache
def show_metrics(request: HttpRequest) -> HttpResponse:
    """Everything counted, for those who may see it."""
    if not may_see_metrics(request):
        said = (
            "Send the header: Authorization: Bearer <PREFEREE_METRICS_TOKEN>\n"
            if settings.METRICS_TOKEN
            else "Metrics are for this machine only. Set PREFEREE_METRICS_TOKEN to read them from elsewhere.\n"
        )
        return HttpResponse(said, status=403, content_type="text/plain")
    return HttpResponse(metrics.exposition(), content_type=metrics.CONTENT_TYPE)


def may_see_metrics(request: HttpRequest) -> bool:
    """With a token: whoever sends it. Without: whoever asks from this machine, and not through a proxy."""
    if token := settings.METRICS_TOKEN:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        return scheme.lower() == "bearer" and secrets.compare_digest(given.strip().encode(), token.encode())
    if any(name in request.headers for name in FORWARDED):
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


PROBES: dict[str, Answer] = {
    "/healthz": health.healthz,
    "/readyz": health.readyz,
    "/metrics": show_metrics,
}


def probes(answer: Answer) -> Answer:
    """Middleware, the first of all: answer machines, and count and time everybody else's requests."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if probe := PROBES.get(request.path_info):
            return probe(request)
        started = time.perf_counter()
        response = answer(request)
        seconds = time.perf_counter() - started
        match = request.resolver_match
        view = (match.view_name if match else "") or "other"
        method = request.method if request.method in METHODS else "other"
        REQUESTS.add(view, str(method), str(response.status_code))
        SECONDS.add(seconds, view)
        # The view's name, not the address: addresses of the judging page are secrets.
        logger.info(
            "%s %s %s",
            method,
            view,
            response.status_code,
            extra={
                "fields": {
                    "view": view,
                    "method": method,
                    "status": response.status_code,
                    "milliseconds": round(seconds * 1000, 1),
                }
            },
        )
        return response

    return middleware
