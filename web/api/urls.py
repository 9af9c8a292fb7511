"""Addresses of the API. Not below web's namespace: the library looks its own names up without one."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.urls import path

from web.api.api import api
from web.api.problems import no_such_call, problem

View = Callable[..., HttpResponseBase]


def worded(view: View) -> View:
    """The library answers a wrong method in plain text; every other error here is a problem document."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
        reply = view(request, *args, **named)
        if reply.status_code != 405:
            return reply
        allowed = reply.headers["Allow"]
        return problem(405, f"It takes {allowed}.", headers={"Allow": allowed})

    return answered


_calls, _app, _namespace = api.urls
for _one in _calls:
    assert _one.callback is not None
    _one.callback = worded(_one.callback)

urlpatterns = [
    path("api/v1/", (_calls, _app, _namespace)),
    path("api/v1/<path:rest>", no_such_call, name="no_such_call"),
]
