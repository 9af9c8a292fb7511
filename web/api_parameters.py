"""Query parameters. Unknown ones are rejected, like unknown fields of a body (bodies.py)."""

import re
from collections.abc import Collection
from functools import cache

from django.http import HttpRequest, HttpResponse

from web.api.problem_details import MEND, problem, unknown_name
from web.api_routers import api

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
    """Return (method, address) → names of its query parameters."""
    return {
        (method, address.removeprefix("/api/v1/")): {
            one["name"] for one in call.get("parameters", []) if one["in"] == "query"
        }
        for address, calls in api.get_openapi_schema()["paths"].items()
        for method, call in calls.items()
    }
