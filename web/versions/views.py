"""Pages and files of a version, its queries and its changes."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from config.row_keys import row_key
from pooling.models import Query
from tournament.models import QrelVersion, VersionQuery
from tournament.services.version_dois import set_doi
from web.common.access import collection_for, require, version_for
from web.common.row_files import FORMS, Rows, as_attachment, rows_file
from web.common.shown_refusals import complain_if_refused
from web.common.visibility import hidden_queries
from web.versions import (
    pages as versions,
    query_results,
    rows as version_rows,
    version_changes as version_changes,
)
from web.versions.released_qrels import released_qrels
from web.versions.unjudged_query import covering_version, unjudged_query_page


@require_safe
def version(request: HttpRequest, name: str, number: int) -> HttpResponse:
    found = version_for(request.user, name, number)
    context = versions.version_page(found, request.user, request.GET) | {"forms": list(FORMS)}
    return render(request, "web/versions/version.html", context)


@require_POST
def keep_doi(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Record the DOI of a deposited version, or remove it."""
    found = version_for(request.user, name, number)
    require(request.user, "publish version", found.collection)
    with complain_if_refused(request):
        doi = set_doi(found, request.POST.get("doi", ""), who=request.user.get_username())
        said = f"Citations of version {number} now have the DOI {doi}." if doi else "The DOI is removed."
        messages.success(request, said)
    return redirect("web:version", name, number)


@require_safe
def queries_file(request: HttpRequest, name: str, number: int, form: str) -> Any:
    """Return all queries that match the filter and search as a file."""
    return _version_file(request, name, number, form, version_rows.query_rows)


@require_safe
def qrels_file(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Return the part of the version's qrels that the person can see, in TREC format."""
    found = version_for(request.user, name, number)
    content, _, _ = released_qrels(found, request.user)
    file = f"{found.collection.name}-version-{found.number}.qrels"
    return as_attachment(content, file, "text/plain; charset=utf-8")


@require_safe
def show_changes(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Compare a version with its predecessor, or with the version ``since``: what changed and why."""
    found = version_for(request.user, name, number)
    context = version_changes.changes_page(
        found, _compared_version(request, found), request.user, request.GET
    )
    return render(request, "web/versions/changes.html", context | {"forms": list(FORMS)})


@require_safe
def changes_file(request: HttpRequest, name: str, number: int, form: str) -> Any:
    return _version_file(
        request,
        name,
        number,
        form,
        lambda found, user, asked: version_rows.change_rows(
            found, _compared_version(request, found), user, asked
        ),
    )


@require_safe
def query(request: HttpRequest, name: str, number: int, key: int) -> HttpResponse:
    found, one = _covered_query(request, name, number, key)
    context = query_results.query_page(found, one, request.user)
    context |= versions.neighbors(found, one, request.user, request.GET) | {"forms": list(FORMS)}
    return render(request, "web/versions/query.html", context)


@require_safe
def collection_query(request: HttpRequest, name: str, key: int) -> HttpResponse:
    """Show a query in the latest version that covers it; without such a version, show its passages and ranks."""
    found = collection_for(request.user, name)
    one = get_object_or_404(Query, pk=key, collection=found)
    if one.qid in hidden_queries(found, request.user):
        raise Http404("This query is private.")
    if covering := covering_version(one):
        return redirect("web:query", name, covering.number, key)
    return render(request, "web/versions/unjudged_query.html", unjudged_query_page(found, one, request.user))


@require_safe
def query_file(request: HttpRequest, name: str, number: int, key: int, form: str) -> Any:
    """Return a query's passages, or with ``of=judgments`` its judgments, as a file."""
    found, one = _covered_query(request, name, number, key)
    of = "judgments" if request.GET.get("of") == "judgments" else "passages"
    rows = version_rows.judgment_rows if of == "judgments" else version_rows.passage_rows
    return rows_file(rows(found, one, request.user), form)


def _version_file(
    request: HttpRequest, name: str, number: int, form: str, rows: Callable[[QrelVersion, Any, Any], Rows]
) -> StreamingHttpResponse:
    return rows_file(rows(version_for(request.user, name, number), request.user, request.GET), form)


def _compared_version(request: HttpRequest, found: QrelVersion) -> QrelVersion | None:
    """Return the version ``since``, else the parent, else None. Raises Http404 for an unknown version."""
    asked = request.GET.get("since", "")
    if not asked:
        return found.parent
    number = row_key(asked)
    if number in (0, found.number):
        raise Http404("There is no such version to compare with.")
    return get_object_or_404(
        QrelVersion.objects.select_related("collection", "campaign"),
        collection=found.collection,
        number=number,
    )


def _covered_query(request: HttpRequest, name: str, number: int, key: int) -> tuple[QrelVersion, Query]:
    found = version_for(request.user, name, number)
    one = get_object_or_404(Query, pk=key, collection=found.collection)
    hidden = one.qid in hidden_queries(found.collection, request.user)
    if hidden or not VersionQuery.objects.filter(version=found, query=one).exists():
        raise Http404(f"Version {number} does not cover this query.")
    return found, one
