"""Pages of a collection's queries."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from web.common.access import collection_for
from web.queries.pages import queries_page


@require_safe
def listed(request: HttpRequest, name: str) -> HttpResponse:
    """List the queries that the person can see, filtered, sorted and paginated as the address says."""
    found = collection_for(request.user, name)
    return render(request, "web/queries.html", queries_page(found, request.user, request.GET))
