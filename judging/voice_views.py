"""Where workers speak of their own accord: reports of pairs, and appeals against a refusal."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from judging.models import Campaign, Worker
from judging.refusals import REFUSALS
from judging.saving_views import readable_anywhere, refused_save, whole
from judging.services import voices, working
from judging.services.notices import is_refused, meaning_of_refusal
from judging.services.texts import contact_of
from judging.tokens import BadToken, read_appeal
from judging.views import for_sites_of, in_frame, page_of, save_form, task_page


@require_POST
@in_frame
def report(request: HttpRequest, token: str) -> HttpResponse:
    """Something is wrong with a pair. A script asks with ``slot``; the plain form comes as a whole."""
    if "slot" in request.POST:
        return _report_by_script(request, token)
    _, submission = page_of(request, token)
    if not working.has_agreed(submission):
        return redirect("judging:work", token=token)
    working.check_workable(submission)
    working.keep_comment(submission, request.POST.get("comment", ""))
    number = request.POST.get("report", "")
    kind = request.POST.get(f"report-kind-{number}", "")
    if hurried := save_form(request, token, submission):
        return hurried
    if not kind:
        return task_page(request, token, submission, report_without_kind=whole(number))
    words = request.POST.get(f"report-words-{number}", "")
    voices.report_pair(submission, number=whole(number), kind=kind, words=words)
    return redirect(reverse("judging:work", args=[token]) + f"#pair-{whole(number)}")


def _report_by_script(request: HttpRequest, token: str) -> HttpResponse:
    form = request.POST
    try:
        _, submission = page_of(request, token)
        if not working.has_agreed(submission):
            raise working.WorkRefused("no-consent")
        number = whole(form.get("slot", ""))
        voices.report_pair(submission, number=number, kind=form.get("kind", ""), words=form.get("words", ""))
    except working.WorkRefused as refused:
        return refused_save(refused)
    return readable_anywhere(JsonResponse({"saved": True}))


@require_http_methods(["GET", "HEAD", "POST"])
@in_frame
def appeal(request: HttpRequest, token: str) -> HttpResponse:
    """Whoever is refused says why that is a mistake, once, and reads the answer on the same page."""
    try:
        refused = read_appeal(token)
        campaign = Campaign.objects.get(pk=refused.campaign_id)
        worker = Worker.objects.get(pk=refused.worker_id)
    except (BadToken, Campaign.DoesNotExist, Worker.DoesNotExist):
        raise working.WorkRefused("unknown-link") from None
    for_sites_of(campaign, request)
    words = request.POST.get("words", "")
    if words.strip():
        voices.make_appeal(campaign, worker, refusal=refused.reason, words=words, came_by=refused.came_by)
    context = {
        "appeal": voices.appeal_of(campaign, worker, refused.came_by),
        "appeal_token": token,
        "refusal": REFUSALS[refused.reason].said(gettext),
        "why": meaning_of_refusal(refused.reason, campaign, worker),
        "refused": is_refused(refused.reason, campaign, worker),
        "by_message": not refused.came_by,
        "said": bool(words.strip()),
        "contact": contact_of(campaign),
        "empty": request.method == "POST" and not words.strip(),
    }
    return render(request, "judging/appealed.html", context)
