"""A version's bundle to publish: what goes in, what is left out, the file."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import parse_etags, quote_etag
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import NotNow, Refusal
from pooling.models import Collection
from tournament.models import QrelVersion
from web import jobs
from web.access import needs
from web.models import MadeBundle
from web.services.release import kept, store
from web.services.release.scope import Scope
from web.services.release_page import release_page


@require_safe
@never_cache
@needs("export judgments")
def release(request: HttpRequest, collection: Collection, number: int) -> HttpResponse:
    """What the bundle has and leaves out, before anybody makes it."""
    return render(request, "web/release.html", release_page(_version(collection, number), request.user))


@require_safe
@never_cache
@needs("export judgments")
def releasing(request: HttpRequest, collection: Collection, number: int) -> HttpResponse:
    """The moving part of that page."""
    return render(
        request,
        "web/parts/work.html",
        release_page(_version(collection, number), request.user) | {"part": True},
    )


@require_POST
@needs("export judgments")
def count_release(request: HttpRequest, collection: Collection, number: int) -> HttpResponse:
    """Have it counted what goes in and what is left out."""
    return _rung(request, _version(collection, number), only_count=True)


@require_POST
@needs("publish version")
def make_release(request: HttpRequest, collection: Collection, number: int) -> HttpResponse:
    """Have the bundle made."""
    return _rung(request, _version(collection, number), only_count=False)


@require_safe
@needs("export judgments")
def release_file(request: HttpRequest, collection: Collection, number: int) -> Any:
    """A bundle that was made, the newest unless ``sha256`` says which; not one that is given out no more."""
    made = kept.given_out(Scope(_version(collection, number)), request.GET.get("sha256", ""))
    etag = quote_etag(made.sha256) if made else ""
    if etag and etag in parse_etags(request.headers.get("If-None-Match", "")):
        return HttpResponse(status=304, headers={"ETag": etag})
    file = store.opened(made.name) if made else None
    if file is None or made is None:
        raise Http404("There is no such bundle, or it is given out no more; its page says why.")
    name = f"{collection.name}-version-{number}.zip"
    headers = {"ETag": etag, "Content-Length": str(made.size)}
    return FileResponse(
        file, as_attachment=True, filename=name, content_type="application/zip", headers=headers
    )


@require_http_methods(["GET", "POST"])
@needs("delete bundle")
def delete_release(request: HttpRequest, collection: Collection, number: int, key: int) -> HttpResponse:
    """Delete a bundle that was made; named and asked once more."""
    rows = MadeBundle.objects.select_related("version__collection")
    made = get_object_or_404(rows, version=_version(collection, number), pk=key)
    if request.method == "POST":
        kept.delete(made, who=request.user.get_username())
        messages.success(request, f"The bundle {made.sha256[:12]} was deleted.")
        return redirect("web:release", collection.name, number)
    return render(request, "web/delete_release.html", {"collection": collection, "made": made})


def _rung(request: HttpRequest, version: QrelVersion, *, only_count: bool) -> HttpResponse:
    try:
        jobs.ring_for_release(version, only_count=only_count)
    except NotNow:
        raise
    except Refusal as refusal:
        messages.error(request, str(refusal))
    return redirect("web:release", version.collection.name, version.number)


def _version(collection: Collection, number: int) -> QrelVersion:
    rows = QrelVersion.objects.select_related("collection", "campaign", "parent")
    rows = rows.defer("manifest", "parent__manifest")
    return get_object_or_404(rows, collection=collection, number=number)
