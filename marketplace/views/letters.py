from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from marketplace import clock
from marketplace.errors import LetterRefused
from marketplace.services.worker import letters
from marketplace.views.faults import refused_worker_page
from marketplace.views.site import signed_in_worker

_SHOWN = 20


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def write_to_requester(request: HttpRequest, key: int) -> HttpResponse:
    """Show a form and the worker's earlier messages, and send a message."""
    worker, now = signed_in_worker(request), clock.now()
    try:
        requester = letters.addressee(key)
    except LetterRefused as refusal:
        return refused_worker_page(request, refusal)
    context: dict[str, object] = {"requester": requester, "longest": letters.LONGEST, "now": now}
    if request.method == "POST":
        try:
            letters.write_letter(worker, requester, request.POST.get("text", ""), now)
        except LetterRefused as refusal:
            context |= {"refusal": refusal, "text": request.POST.get("text", "")}
        else:
            messages.success(
                request,
                f"Your message to {requester.name} was sent. The answer will appear on the home page.",
            )
            return redirect("write", requester.pk)
    context["written"] = letters.written_by(worker, requester)[:_SHOWN]
    return render(request, "marketplace/write.html", context, status=422 if "refusal" in context else 200)
