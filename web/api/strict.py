"""What a call is asked with: a parameter that there is none of is refused, as a body's field is (bodies.py)."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from django.http import HttpRequest, HttpResponse

from web.api.api import api
from web.api.problems import MEND, problem, unknown_name

_CONVERTED = re.compile(r"<(?:\w+:)?(\w+)>")


def unknown_parameters(request: HttpRequest, route: str) -> HttpResponse | None:
    """The refusal of parameters behind the question mark that the call does not know; None when it knows them all."""
    known = _known().get((str(request.method).lower(), _CONVERTED.sub(r"{\1}", route)))
    if known is None:  # a method that it does not take is refused as that
        return None
    found = [
        {"where": f"query/{name}", "reason": unknown_name(name, known)}
        for name in request.GET
        if name not in known
    ]
    return problem(422, "Some parameters are not known.", next_step=MEND, problems=found) if found else None


@cache
def _known() -> dict[tuple[str, str], Collection[str]]:
    """(method, address) → its parameters behind the question mark."""
    return {
        (method, address.removeprefix("/api/v1/")): {
            one["name"] for one in call.get("parameters", []) if one["in"] == "query"
        }
        for address, calls in api.get_openapi_schema()["paths"].items()
        for method, call in calls.items()
    }
