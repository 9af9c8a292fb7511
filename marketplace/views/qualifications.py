"""Qualifications that a worker asked for, and can ask for."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from marketplace import clock
from marketplace.errors import QualificationRefused
from marketplace.models import QualificationRequest
from marketplace.services import deadlines, groups, qualification_requests
from marketplace.views.site import worker_of

_REFUSED_STATUS = {"unknown": 404, "blocked": 403}


@never_cache
@login_required
@require_safe
def qualifications(request: HttpRequest) -> HttpResponse:
    """What tasks ask for that the worker could have, and what became of earlier requests."""
    now = clock.now()
    deadlines.apply_due(now)
    worker = worker_of(request)
    wanted = {kind.pk: kind for group in groups.visible(worker, now) for kind in group.askable}
    asked = worker.qualification_requests.select_related("qualification_type__requester").order_by("-pk")
    context = {"wanted": list(wanted.values()), "asked": asked[:100]}
    return render(request, "marketplace/qualifications.html", context)


@login_required
@require_POST
def ask(request: HttpRequest, type_id: str) -> HttpResponse:
    """Ask for one."""
    try:
        row = qualification_requests.ask(worker_of(request), type_id, clock.now())
    except QualificationRefused as refusal:
        context = {"refusal": refusal, "reason": refusal.reason}
        status = _REFUSED_STATUS.get(refusal.reason, 409)
        return render(request, "marketplace/refused.html", context, status=status)
    granted = row.state == QualificationRequest.State.ACCEPTED
    name = row.qualification_type.name
    messages.success(
        request, f"You have the qualification “{name}” now." if granted else f"You asked for “{name}”."
    )
    return redirect("home" if granted else "qualifications")
