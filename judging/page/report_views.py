"""Pages on which workers report pairs and appeal refusals."""

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from judging.campaign.worker_texts import contact_of
from judging.crowds import crowd_for
from judging.exchange.link_tokens import BadToken, Refused, read_appeal, read_page
from judging.models import Campaign, Submission, Worker
from judging.page import reports_and_appeals, session
from judging.page.frame_views import addresses_of, for_sites_of, in_frame, open_task
from judging.page.saved_choice_views import readable_anywhere, refused_save, whole_number
from judging.page.views import page_of, save_posted_choices, task_page
from judging.people import appeal_answers
from judging.rules.refusals import REFUSALS
from judging.workers.notices import is_refused, meaning_of_refusal

_PAID_IN_THE_END = (Submission.State.HELD, Submission.State.FINISHED, Submission.State.SUBMITTED)


@require_POST
@in_frame
def report(request: HttpRequest, token: str) -> HttpResponse:
    """Report a problem with a pair.

    The page's script sends the pair's number as ``slot``. A browser that runs no scripts sends the whole form.
    """
    if "slot" in request.POST:
        return _report_by_script(request, token)
    _, submission = page_of(request, token)
    if not session.has_agreed(submission):
        return redirect("judging:work", token=token)
    session.check_workable(submission)
    session.keep_comment(submission, request.POST.get("comment", ""))
    number = _reported_pair(request.POST)
    kind, words = (request.POST.get(f"report-{part}-{number}", "") for part in ("kind", "words"))
    if kind:  # before the choices: a pair can be reported even when it is too early to judge one
        reports_and_appeals.report_pair(submission, number=whole_number(number), kind=kind, words=words)
    if hurried := save_posted_choices(request, token, submission):
        return hurried
    if not kind:
        return task_page(
            request,
            token,
            submission,
            unclear_report=whole_number(number),
            report_words=words[: reports_and_appeals.LONGEST_WORDS],
        )
    return redirect(reverse("judging:work", args=[token]) + f"#pair-{whole_number(number)}")


def _reported_pair(form: QueryDict) -> str:
    """Return the number of the reported pair, from a form that was sent without a script.

    This is the pair whose button was pressed. But the Enter key presses the form's first button, so if a kind was
    chosen for exactly one pair, that pair is meant.
    """
    number = form.get("report", "")
    prefix = "report-kind-"
    chosen = [name.removeprefix(prefix) for name in form if name.startswith(prefix) and form[name]]
    return chosen[0] if len(chosen) == 1 and number not in chosen else number


def _report_by_script(request: HttpRequest, token: str) -> HttpResponse:
    form = request.POST
    try:
        _, submission = page_of(request, token)
        if not session.has_agreed(submission):
            raise session.WorkRefused("no-consent")
        number = whole_number(form.get("slot", ""))
        reports_and_appeals.report_pair(
            submission, number=number, kind=form.get("kind", ""), words=form.get("words", "")
        )
    except session.WorkRefused as refused:
        return refused_save(refused)
    return readable_anywhere(JsonResponse({"saved": True}))


@require_http_methods(["GET", "HEAD", "POST"])
@in_frame
def appeal(request: HttpRequest, token: str) -> HttpResponse:
    """Show the page on which a refused worker can appeal once and later reads the answer."""
    refused = read_appeal(token)
    try:
        campaign = Campaign.objects.get(pk=refused.campaign_id)
        worker = Worker.objects.get(pk=refused.worker_id)
    except (Campaign.DoesNotExist, Worker.DoesNotExist):
        raise session.WorkRefused("unknown-link") from None
    for_sites_of(campaign, request)
    task = _task_behind(refused)
    words = request.POST.get("words", "")
    if words.strip():
        reports_and_appeals.make_appeal(
            campaign, worker, refusal=refused.reason, words=words, came_by=refused.came_by
        )
    said = reports_and_appeals.appeal_of(campaign, worker, refused.came_by)
    context = {
        "appeal": said,
        **appeal_answers.answer_times(campaign, said),
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
    """Return the task on whose page the worker was refused, or None for a refusal before the first task."""
    mine = Submission.objects.filter(campaign=refused.campaign_id, worker=refused.worker_id)
    return mine.filter(assignment_id=refused.came_by).first()


def _is_open(task: Submission, token: str) -> bool:
    """Return whether the worker still holds the task and ``token`` belongs to its page."""
    try:
        page = read_page(token)
    except BadToken:
        return False
    return (
        task.state == Submission.State.HELD
        and page.submission_id == task.pk
        and page.is_of(task.assignment_id)
    )
