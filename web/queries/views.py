from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from web.common.access import collection_for
from web.queries.pages import queries_page
from web.queries.query_map import map_page


@require_safe
def list_queries(request: HttpRequest, name: str) -> HttpResponse:
    """List the queries that the person can see, filtered, sorted and paginated as the URL requests."""
    found = collection_for(request.user, name)
    return render(request, "web/queries/queries.html", queries_page(found, request.user, request.GET))


@require_safe
def query_map(request: HttpRequest, name: str) -> HttpResponse:
    """Show how well each run answers each query, in the order that the URL requests."""
    found = collection_for(request.user, name)
    return render(request, "web/queries/query_map.html", map_page(found, request.user, request.GET))
