"""Pages of a version's bundle: contents, omissions, the file."""

from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import parse_etags, quote_etag
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pooling.models import Collection
from tournament.models import QrelVersion
from web.common.access import needs, version_or_404
from web.common.shown_refusals import complain_if_refused
from web.models import MadeBundle
from web.releases import kept_bundles as kept, store
from web.releases.jobs import ring_for_release
from web.releases.pages import release_page
from web.releases.scope import Scope


@require_safe
@never_cache
@needs("export judgments")
def release_preview(request: HttpRequest, collection: Collection, number: int) -> HttpResponse:
    """Show a version's bundle: its contents and omissions, and the files made so far."""
    return render(
        request, "web/releases/release.html", release_page(version_or_404(collection, number), request.user)
    )


@require_safe
@never_cache
@needs("export judgments")
def releasing(request: HttpRequest, collection: Collection, number: int) -> HttpResponse:
    """Render the progress part of the bundle's page, for the script that refreshes it."""
    return render(
        request,
        "web/parts/work.html",
        release_page(version_or_404(collection, number), request.user) | {"part": True},
    )


@require_POST
@needs("export judgments")
def count_release(request: HttpRequest, collection: Collection, number: int) -> HttpResponse:
    """Start counting the contents and omissions of a version's bundle."""
    return _start_release(request, version_or_404(collection, number), only_count=True)


@require_POST
@needs("publish version")
def make_release(request: HttpRequest, collection: Collection, number: int) -> HttpResponse:
    return _start_release(request, version_or_404(collection, number), only_count=False)


@require_safe
@needs("export judgments")
def release_file(request: HttpRequest, collection: Collection, number: int) -> Any:
    """Return the newest bundle, or the bundle that ``sha256`` names, unless it is withdrawn."""
    made = kept.downloadable_bundle(Scope(version_or_404(collection, number)), request.GET.get("sha256", ""))
    etag = quote_etag(made.sha256) if made else ""
    if etag and etag in parse_etags(request.headers.get("If-None-Match", "")):
        return HttpResponse(status=304, headers={"ETag": etag})
    file = store.open_bundle(made.name) if made else None
    if file is None or made is None:
        raise Http404("There is no such bundle, or it is withdrawn; its page says why.")
    name = f"{collection.name}-version-{number}.zip"
    headers = {"ETag": etag, "Content-Length": str(made.size)}
    return FileResponse(
        file, as_attachment=True, filename=name, content_type="application/zip", headers=headers
    )


@require_http_methods(["GET", "POST"])
@needs("delete bundle")
def delete_release(request: HttpRequest, collection: Collection, number: int, key: int) -> HttpResponse:
    """Delete a bundle after a confirmation."""
    rows = MadeBundle.objects.select_related("version__collection")
    made = get_object_or_404(rows, version=version_or_404(collection, number), pk=key)
    if request.method == "POST":
        kept.delete_bundle(made, who=request.user.get_username())
        messages.success(request, f"The bundle {made.sha256[:12]} was deleted.")
        return redirect("web:release", collection.name, number)
    return render(request, "web/releases/delete_release.html", {"collection": collection, "made": made})


def _start_release(request: HttpRequest, version: QrelVersion, *, only_count: bool) -> HttpResponse:
    with complain_if_refused(request):
        ring_for_release(version, only_count=only_count)
    return redirect("web:release", version.collection.name, version.number)
