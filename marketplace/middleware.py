"""Middleware that answers health checks, and redirects to the loopback name in the public URL."""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.request import split_domain_port
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}


@require_safe
def healthz(_request: HttpRequest) -> JsonResponse:
    """Return 200 if the database answers, else 503."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "database does not answer"}, status=503)
    return JsonResponse({"status": "ok"})


class Probes:
    """Middleware that answers ``/healthz`` for any host name, because load balancers use a machine's address."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request for ``/healthz``; pass every other request on."""
        return healthz(request) if request.path_info == "/healthz" else self.get_response(request)


class OneLoopbackName:
    """Middleware that redirects between ``localhost`` and ``127.0.0.1`` to match the public URL.

    A task's page names the hosts that can frame it, and browsers treat the two names as different hosts.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Redirect a GET request made under the other loopback name; pass every other request on."""
        public = urlsplit(settings.PUBLIC_URL)
        host, port = split_domain_port(request.get_host())
        other = host in _LOOPBACK and public.hostname in _LOOPBACK and host != public.hostname
        same_port = port == str(public.port or 80)
        if request.method == "GET" and other and same_port:
            return HttpResponseRedirect(settings.PUBLIC_URL + request.get_full_path())
        return self.get_response(request)
