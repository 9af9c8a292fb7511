"""Downloads of a campaign's judgments, as `export_judgments` writes them."""

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.models import GoldAnswer
from judging.people.export import COLUMNS, SIGNALS, lines_for_others
from pooling.services.members import may
from web.common.access import campaign_for, require
from web.common.row_files import in_pieces

FORMS = {"tsv": "text/tab-separated-values", "jsonl": "application/jsonl"}


@require_safe
def judgments(request: HttpRequest, name: str) -> HttpResponse:
    """Show the contents of the file, and the links to download it."""
    found = campaign_for(request.user, name, "export judgments")
    context = {
        "campaign": found,
        "judgments": found.judgments.count(),
        "gold_answers": GoldAnswer.objects.confirmed().filter(submission__campaign=found).count(),
        "columns": COLUMNS,
        "signals": SIGNALS if may(request.user, "judge workers", found.collection) else [],
        "forms": FORMS,
    }
    return render(request, "web/campaign_judgments.html", context)


@require_safe
def judgments_file(request: HttpRequest, name: str, form: str) -> StreamingHttpResponse:
    """Stream the file. With ``signals`` it also has the behavior signals of each answer."""
    found = campaign_for(request.user, name, "export judgments")
    if form not in FORMS:
        raise Http404("Unknown file format.")
    signals = request.GET.get("signals") == "1"
    if signals:
        require(request.user, "judge workers", found.collection)
    lines = in_pieces(lines_for_others(found, as_json=form == "jsonl", signals=signals))
    reply = StreamingHttpResponse(lines, content_type=f"{FORMS[form]}; charset=utf-8")
    stem = f"{found.name}-judgments{'-with-signals' if signals else ''}"
    reply["Content-Disposition"] = f'attachment; filename="{stem}.{form}"'
    return reply
