"""Pages for previewing, taking, working on, returning and submitting a task."""

from datetime import datetime

from csp.constants import SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from marketplace import clock
from marketplace.errors import TaskRefused
from marketplace.models import Assignment, Hit
from marketplace.protocol import arrival_signature
from marketplace.protocol.question import PREVIEW, SIGNATURE, frame_address, url_origin
from marketplace.services import expiry
from marketplace.services.operator import requesters
from marketplace.services.worker import groups, tasks as taking
from marketplace.views.faults import refusal_status, refused_worker_page
from marketplace.views.site import signed_in_worker


@never_cache
@login_required
@require_safe
def group(request: HttpRequest, type_id: str) -> HttpResponse:
    """Describe the tasks of a group, with one of them as a preview."""
    now = clock.now()
    expiry.apply_due(now)
    worker = signed_in_worker(request)
    try:
        kind = groups.group_numbered(type_id)
        groups.check_allowed(worker, kind, "preview")
    except TaskRefused as refusal:
        return refused_worker_page(request, refusal)
    hit = groups.preview_of(kind, now)
    in_hand = groups.held_tasks(worker)
    held = [row for row in in_hand if row.hit.hit_type_id == kind.pk]
    context: dict[str, object] = {"kind": kind, "hit": hit, "held": held, "refusal": None, "now": now}
    try:
        groups.check_allowed(worker, kind, "accept")
    except TaskRefused as refusal:
        context["refusal"] = refusal
    else:
        left = hit is None or groups.has_more(worker, kind, now)
        context["refusal"] = groups.limit_refusal(len(in_hand)) if left else groups.no_task_refusal(kind, now)
    extra = {"assignmentId": PREVIEW, "hitId": hit.hit_id} if hit else {}
    return _with_frame(request, "marketplace/group.html", context, hit, extra)


@login_required
@require_POST
def take_from_group(request: HttpRequest, type_id: str) -> HttpResponse:
    """Take a task of the group and redirect to it."""
    try:
        assignment = taking.take_task(signed_in_worker(request), type_id, clock.now())
    except TaskRefused as refusal:
        return refused_worker_page(request, refusal)
    request.session["take_next"] = request.POST.get("take_next") == "on"
    return redirect("task", assignment.assignment_id)


@never_cache
@login_required
@require_safe
def task(request: HttpRequest, assignment_id: str) -> HttpResponse:
    """Show the task's own page in a frame or, after the submission, a button for taking the next task."""
    now = clock.now()
    expiry.apply_due(now)
    assignment = _requested_assignment(request, assignment_id)
    if assignment is None:
        return refused_worker_page(request, taking.explain_not_held(signed_in_worker(request), assignment_id))
    kind = assignment.hit.hit_type
    context: dict[str, object] = {
        "assignment": assignment,
        "kind": kind,
        "now": now,
        "take_next": request.session.get("take_next", False),
    }
    if assignment.status != Assignment.Status.ACCEPTED:
        more = groups.has_more(signed_in_worker(request), kind, now)
        context["refusal"] = None if more else groups.no_task_refusal(kind, now)
        return render(request, "marketplace/submitted.html", context)
    ids = {
        "assignmentId": assignment.assignment_id,
        "hitId": assignment.hit.hit_id,
        "workerId": signed_in_worker(request).worker_id,
    }
    extra = {**ids, "turkSubmitTo": settings.PUBLIC_URL, SIGNATURE: _signed_arrival(assignment, now)}
    return _with_frame(request, "marketplace/task.html", context, assignment.hit, extra)


@never_cache
@login_required
@require_safe
def status(request: HttpRequest, assignment_id: str) -> JsonResponse:
    """Return the state of a task for the page around the frame: ``held``, ``submitted`` or ``gone``."""
    expiry.apply_due(clock.now())
    assignment = _requested_assignment(request, assignment_id)
    if assignment is None:
        return JsonResponse({"state": "gone"})
    held = assignment.status == Assignment.Status.ACCEPTED
    return JsonResponse({"state": "held" if held else "submitted"})


@login_required
@require_POST
def give_task_back(request: HttpRequest, assignment_id: str) -> HttpResponse:
    """Return a task and redirect to its group. Ask for confirmation first, because part of the work may be done.

    If the requester's page in the frame refuses the worker, the script of our page around it posts here with
    ``by_script``. That returns the task, and our page stays open.
    """
    assignment = _requested_assignment(request, assignment_id)
    if assignment is not None and assignment.status in Assignment.HANDED_IN:
        return redirect("task", assignment_id)  # its page says that it was submitted
    if assignment is not None and not request.POST.get("confirmed"):
        context = {"assignment": assignment, "kind": assignment.hit.hit_type}
        return render(request, "marketplace/returning.html", context)
    try:
        kind = taking.return_task(signed_in_worker(request), assignment_id, clock.now())
    except TaskRefused as refusal:
        return refused_worker_page(request, refusal)
    if request.POST.get("by_script"):
        return HttpResponse(status=204)
    messages.success(request, "You returned the task. You can take it again while it is open.")
    return redirect("group", kind.type_id)


@csrf_exempt
@xframe_options_exempt
@csp_replace({"frame-ancestors": [SELF]})
@require_POST
def external_submit(request: HttpRequest) -> HttpResponse:
    """Accept the answer that a task's page posts from a sandboxed frame.

    Such a request has no cookies, and its ``Origin`` may be ``null``. The response is shown inside the frame. The
    page around the frame notices by itself that the task is done.
    """
    try:
        fields = [(name, value) for name, values in request.POST.lists() for value in values]
    except SuspiciousOperation:  # more or larger fields than the settings allow
        refusal = TaskRefused(
            "malformed", "The task's page sent too much data.", "Nothing was submitted. Tell the requester."
        )
        context = {"result": "refused", "refusal": refusal}
        return render(request, "marketplace/external_submit.html", context, status=400)
    try:
        new = taking.hand_in(request.POST.get("assignmentId", ""), fields, clock.now())
    except TaskRefused as refusal:
        context = {"result": "refused", "refusal": refusal}
        return render(request, "marketplace/external_submit.html", context, status=refusal_status(refusal))
    result = "submitted" if new else "already"
    return render(request, "marketplace/external_submit.html", {"result": result})


def _signed_arrival(assignment: Assignment, now: datetime) -> str:
    """Return the signature that proves to the requester's page that this worker holds the assignment."""
    assert assignment.worker is not None
    assert assignment.accepted_at is not None
    return arrival_signature.sign(
        requesters.secrets_of(assignment.hit.hit_type.requester, now),
        taken_at=assignment.accepted_at,
        assignment_id=assignment.assignment_id,
        hit_id=assignment.hit.hit_id,
        worker_id=assignment.worker.worker_id,
    )


def _requested_assignment(request: HttpRequest, assignment_id: str) -> Assignment | None:
    rows = Assignment.objects.select_related("hit__hit_type__requester", "worker")
    return rows.filter(assignment_id=assignment_id, worker=signed_in_worker(request)).first()


def _with_frame(
    request: HttpRequest, template: str, context: dict[str, object], hit: Hit | None, extra: dict[str, str]
) -> HttpResponse:
    """Render a page whose frame can load only the HIT's page and our response to its form."""
    if hit is None:
        return render(request, template, context)
    address = frame_address(hit.external_url, extra)
    context |= {"frame_address": address, "sandbox": settings.FRAME_SANDBOX, "frame_height": hit.frame_height}
    show = csp_replace({"frame-src": [SELF, url_origin(hit.external_url)]})(
        lambda request: render(request, template, context)
    )
    response = show(request)
    assert isinstance(response, HttpResponse)
    return response
