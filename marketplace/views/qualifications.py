"""Pages for the qualifications that a worker has requested or can request."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from marketplace import clock
from marketplace.errors import QualificationRefused
from marketplace.models import QualificationRequest
from marketplace.services import expiry
from marketplace.services.requester import qualification_requests
from marketplace.services.worker import groups
from marketplace.views.faults import refused_worker_page
from marketplace.views.site import signed_in_worker


@never_cache
@login_required
@require_safe
def qualifications(request: HttpRequest) -> HttpResponse:
    """Show qualifications that tasks require and the worker could get, and the results of earlier requests."""
    now = clock.now()
    expiry.apply_due(now)
    worker = signed_in_worker(request)
    wanted = {kind.pk: kind for group in groups.visible(worker, now) for kind in group.askable}
    asked = worker.qualification_requests.select_related("qualification_type__requester").order_by("-pk")
    context = {"wanted": list(wanted.values()), "asked": asked[:100]}
    return render(request, "marketplace/qualifications.html", context)


@login_required
@require_POST
def ask_for_qualification(request: HttpRequest, type_id: str) -> HttpResponse:
    try:
        row = qualification_requests.request_qualification(signed_in_worker(request), type_id, clock.now())
    except QualificationRefused as refusal:
        return refused_worker_page(request, refusal)
    granted = row.state == QualificationRequest.State.ACCEPTED
    name = row.qualification_type.name
    messages.success(
        request, f"You now have the qualification “{name}”." if granted else f"You requested “{name}”."
    )
    return redirect("home" if granted else "qualifications")
