from mimetypes import guess_type

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from web.help.documents import PICTURES, SHELVES, document


@require_safe
def shelf(request: HttpRequest) -> HttpResponse:
    """List all documents, grouped by the readers they are for."""
    shelves = {reader: [document(name) for name in names] for reader, names in SHELVES.items()}
    return render(request, "web/help/help.html", {"shelves": shelves})


@require_safe
def read(request: HttpRequest, name: str) -> HttpResponse:
    found = document(name)
    if found is None:
        raise Http404("There is no such document.")
    return render(request, "web/help/document.html", {"document": found})


@require_safe
def picture(_request: HttpRequest, name: str) -> HttpResponse:
    path = PICTURES / name
    if "/" in name or not path.is_file():
        raise Http404("There is no such picture.")
    return HttpResponse(path.read_bytes(), content_type=guess_type(name)[0])
