"""Middleware that answers health checks and requests for metrics, and times every other request.

Load balancers and Prometheus call a machine by its own address, over plain HTTP. So their requests are answered
before host names are checked and before the redirect to HTTPS.
"""

import ipaddress
import logging
import secrets
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from config.monitoring import health, metrics

logger = logging.getLogger("preferee.requests")
REQUESTS = metrics.Count(
    "preferee_requests", "Requests answered, by view, method and status.", ("view", "method", "status")
)
SECONDS = metrics.Timing("preferee_request_seconds", "Duration of requests, by view.", ("view",))
METHODS = {"GET", "HEAD", "POST"}
#: Headers that a proxy adds. A request with one of them comes from outside, even if its address is this machine's.
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "X-Forwarded-Proto", "X-Forwarded-Host")

Answer = Callable[[HttpRequest], HttpResponse]


@never_cache
def show_metrics(request: HttpRequest) -> HttpResponse:
    """Return all metrics, or status 403 if the caller may not see them."""
    if not may_see_metrics(request):
        said = (
            "Send the header: Authorization: Bearer <PREFEREE_METRICS_TOKEN>\n"
            if settings.METRICS_TOKEN
            else "Metrics are only for this machine. Set PREFEREE_METRICS_TOKEN to read them from elsewhere.\n"
        )
        return HttpResponse(said, status=403, content_type="text/plain")
    return HttpResponse(metrics.exposition(), content_type=metrics.CONTENT_TYPE)


def may_see_metrics(request: HttpRequest) -> bool:
    """Return whether the caller may see the metrics.

    If a token is set, the caller must send it. Otherwise the caller must be on this machine and not come through a
    proxy.
    """
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
    """Answer probes, and count and time all other requests. This must be the first middleware."""

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
        # The view's name, not the URL: URLs of the judging page are secret.
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
