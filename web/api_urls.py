"""URLs of the API. They are outside the namespace ``web``: the library looks up its own names without a namespace."""

import re
from collections.abc import Callable, Collection
from functools import cache, wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import path

from web.api.problem_details import MEND, no_such_call, problem, unknown_name
from web.api_routers import api

View = Callable[..., HttpResponseBase]


def with_problem_405(view: View) -> View:
    """Wrap a view so that its 405 responses are problem documents, instead of the library's plain text."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
        reply = view(request, *args, **named)
        if reply.status_code != 405:
            return reply
        allowed = reply.headers["Allow"]
        return problem(405, f"Allowed methods: {allowed}.", headers={"Allow": allowed})

    return answered


def rejecting_unknown_parameters(view: View, route: str) -> View:
    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
        return unknown_parameters(request, route) or view(request, *args, **named)

    return answered


def with_head(view: View) -> View:
    """Wrap a GET view so that it also answers HEAD, with headers only (RFC 9110, 9.3.2)."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
        if request.method != "HEAD":
            return view(request, *args, **named)
        request.method = "GET"
        reply = view(request, *args, **named)
        request.method = "HEAD"
        if isinstance(reply, StreamingHttpResponse):
            reply.streaming_content = iter(())  # do not generate a body that is not sent
        return reply

    return answered


_CONVERTED = re.compile(r"<(?:\w+:)?(\w+)>")


def unknown_parameters(request: HttpRequest, route: str) -> HttpResponse | None:
    """Return the error response for unknown query parameters; None if all are known."""
    known = _parameters_of_calls().get((str(request.method).lower(), _CONVERTED.sub(r"{\1}", route)))
    if known is None:  # an unsupported method gets its own error
        return None
    found = [
        {"where": f"query/{name}", "reason": unknown_name(name, known, "parameter")}
        for name in request.GET
        if name not in known
    ]
    return problem(422, "Some parameters are unknown.", next_step=MEND, problems=found) if found else None


@cache
def _parameters_of_calls() -> dict[tuple[str, str], Collection[str]]:
    """Return (method, address) → names of the call's query parameters."""
    return {
        (method, address.removeprefix("/api/v1/")): {
            one["name"] for one in call.get("parameters", []) if one["in"] == "query"
        }
        for address, calls in api.get_openapi_schema()["paths"].items()
        for method, call in calls.items()
    }


_calls, _app, _namespace = api.urls
for _call in _calls:
    assert _call.callback is not None
    _call.callback = with_head(
        rejecting_unknown_parameters(with_problem_405(_call.callback), str(_call.pattern))
    )

urlpatterns = [
    path("api/v1/", (_calls, _app, _namespace)),
    path("api/v1/<path:rest>", no_such_call, name="no_such_call"),
]
