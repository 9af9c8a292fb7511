"""Where workers speak of their own accord: reports of pairs, and appeals against a refusal."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from judging.crowds import crowd_for
from judging.frame_views import addresses_of, for_sites_of, in_frame, open_task
from judging.models import Campaign, Submission, Worker
from judging.refusals import REFUSALS
from judging.saving_views import readable_anywhere, refused_save, whole
from judging.services import voices, working
from judging.services.notices import is_refused, meaning_of_refusal
from judging.services.texts import contact_of
from judging.tokens import BadToken, Refused, read_appeal, read_page
from judging.views import page_of, save_form, task_page

_PAID_IN_THE_END = (Submission.State.HELD, Submission.State.FINISHED, Submission.State.SUBMITTED)


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
    number = _reported_pair(request.POST)
    kind, words = (request.POST.get(f"report-{part}-{number}", "") for part in ("kind", "words"))
    if kind:  # before the choices: a pair may be reported at any time, also when it is too early to judge one
        voices.report_pair(submission, number=whole(number), kind=kind, words=words)
    if hurried := save_form(request, token, submission):
        return hurried
    if not kind:
        return task_page(
            request,
            token,
            submission,
            report_without_kind=whole(number),
            report_words=words[: voices.LONGEST_WORDS],
        )
    return redirect(reverse("judging:work", args=[token]) + f"#pair-{whole(number)}")


def _reported_pair(form: QueryDict) -> str:
    """The number of the pair that the plain form reports.

    Without a script, Enter presses the form's first button: then it is the pair for which a kind was chosen.
    """
    number = form.get("report", "")
    prefix = "report-kind-"
    chosen = [name.removeprefix(prefix) for name in form if name.startswith(prefix) and form[name]]
    return chosen[0] if len(chosen) == 1 and number not in chosen else number


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
    task = _task_behind(refused)
    words = request.POST.get("words", "")
    if words.strip():
        voices.make_appeal(campaign, worker, refusal=refused.reason, words=words, came_by=refused.came_by)
    said = voices.appeal_of(campaign, worker, refused.came_by)
    context = {
        "appeal": said,
        **voices.answer_times(campaign, said),
        "refusal": REFUSALS[refused.reason].said(gettext),
        "why": meaning_of_refusal(refused.reason, campaign, worker),
        "refused": is_refused(refused.reason, campaign, worker),
        "by_message": task is not None
        and task.state in _PAID_IN_THE_END
        and crowd_for(campaign).keeps_block_lists,
        "nothing_open": task is None,
        "said": bool(words.strip()),
        "contact": contact_of(campaign),
        "empty": request.method == "POST" and not words.strip(),
    }
    token_of_task = request.GET.get("task", "")
    still_open = token_of_task if task and _is_open(task, token_of_task) else ""
    context |= addresses_of(refused, still_open) | open_task(still_open)
    return render(request, "judging/appealed.html", context)


def _task_behind(refused: Refused) -> Submission | None:
    """The task whose page led to the refusal; None for whoever was refused before there was one."""
    mine = Submission.objects.filter(campaign=refused.campaign_id, worker=refused.worker_id)
    return mine.filter(assignment_id=refused.came_by).first()


def _is_open(task: Submission, token: str) -> bool:
    """Whether the worker holds the task still, and ``token`` is that of its page."""
    try:
        page = read_page(token)
    except BadToken:
        return False
    return task.state == Submission.State.HELD and page.submission_id == task.pk and page.is_of(task)
