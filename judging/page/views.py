"""The pages that workers see. They use no cookies or sessions: a signed token in the URL identifies the submission.

The pages appear in a sandboxed frame of a crowd's site, where the origin may be null. Cookies, storage and CSRF
tokens do not work there. The page token replaces a CSRF token, because other sites do not know it.
"""

from datetime import UTC, timedelta
from math import ceil
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.html import format_html
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from config import clock
from config.client_address import client_network
from config.errors import Refusal
from config.prepared_queries import Prepared
from config.rate_limits import first_time
from judging.campaign.cost import pay_for
from judging.campaign.shared_figures import figures_read_once
from judging.campaign.worker_texts import (
    contact_of,
    filled,
    going_on,
    language_of_example,
    levels_of,
    ways_of,
)
from judging.crowds import crowd_for
from judging.errors import ArrivalRefused
from judging.exchange.link_tokens import Page, page_token, read_link, read_page
from judging.models import Campaign, Payment, Submission
from judging.money.discrepancies import receipt_of
from judging.money.offer_words import offer_of, paid_when, unread_words
from judging.money.payments import earned_so_far
from judging.page import arrivals, session, trials
from judging.page.frame_views import for_sites_of, in_frame, refusal
from judging.page.last_step import last_step
from judging.page.pair_html import pairs_html
from judging.page.receipt_views import receipt_page
from judging.page.saved_choice_views import whole_number
from judging.rules.durations import duration_words, to_the_second
from judging.rules.prose import blocks
from judging.rules.text_direction import direction
from judging.rules.worked_example import read_example
from judging.tasks.displayed_pairs import shown_pairs
from judging.tasks.slots import pairs_in
from judging.tasks.time_left import more_seconds, takes_late_choices
from judging.workers.unfinished import unfinished_of

SCRIPTS = [
    f"judging/{name}.js"
    for name in ("watch", "queue", "deadline", "progress", "report", "keys", "reading", "task", "times")
]
#: How long to remember that a submission's last step was shown: the longest time limit that a task can have.
REMEMBERED_SECONDS = 30 * 86_400


@require_GET
@in_frame
def arrive(request: HttpRequest, token: str) -> HttpResponse:
    """Handle an arrival from the crowd's site: show the preview, or lease a task and redirect to its page."""
    link = read_link(token)
    campaign, known = arrivals.behind(link)
    for_sites_of(campaign, request)
    try:
        arrival = crowd_for(campaign).read_arrival(request.GET)
    except ArrivalRefused:
        raise
    except Refusal:  # without the crowd's key, this process cannot check signatures
        raise session.WorkRefused("not-ready") from None
    if arrival.preview:
        context = texts_of(campaign) | {"time": duration_words(campaign.assignment_seconds, translation)}
        return render(request, "judging/preview.html", context)
    request.came_by = arrival.assignment_id  # type: ignore[attr-defined]
    posting = arrivals.posting_behind(campaign, known, link, arrival)
    submission = arrivals.open_task(posting, arrival, network=client_network(request))
    return redirect("judging:work", token=page_token(submission, arrival.submit_to))


_SUBMISSION = Prepared(
    lambda key: Submission.objects.filter(pk=key).select_related("campaign__collection", "worker", "consent")
)


def page_of(request: HttpRequest, token: str) -> tuple[Page, Submission]:
    """Return the content of a page token and its submission. Raises WorkRefused if the submission does not exist."""
    page = read_page(token)
    submission = _SUBMISSION.first(page.submission_id)
    if submission is None or not page.is_of(submission.assignment_id):
        raise session.WorkRefused("unknown-link")
    for_sites_of(submission.campaign, request)
    request.came_by = submission.assignment_id  # type: ignore[attr-defined]
    return page, submission


def _is_trial(submission: Submission) -> bool:
    return submission.standing == Submission.Standing.TRIAL


def texts_of(campaign: Campaign, *, pairs: int | None = None) -> dict[str, Any]:
    """Return the context that the worker pages of a campaign share: texts with filled-in numbers, pay and language.

    ``pairs`` is the task's number of pairs. Without it, the texts describe any task of the campaign.
    """
    with figures_read_once():
        return _texts_of(campaign, pairs)


def _texts_of(campaign: Campaign, pairs: int | None) -> dict[str, Any]:
    language = campaign.collection.language
    return {
        "campaign": campaign,
        "language": language,
        "direction": direction(language),
        "consent": blocks(filled(campaign, campaign.consent_text, pairs=pairs)),
        "instructions": blocks(filled(campaign, campaign.instructions_text, pairs=pairs)),
        "ways": ways_of(campaign),
        "example": read_example(campaign.example_text),
        "levels": levels_of(campaign),
        "example_language": language_of_example(campaign),
        "example_direction": direction(language_of_example(campaign)),
        "total": pairs or campaign.slots_per_task,
        "pay": pay_for(campaign),
        "offer": offer_of(campaign, pairs, translation),
    }


@require_GET
@in_frame
def work(request: HttpRequest, token: str) -> HttpResponse:
    """Show a submission's page for its state: the consent, the pairs, the last step, the receipt or a refusal."""
    page, submission = page_of(request, token)
    if submission.state == Submission.State.FINISHED:
        return sent(request, page, submission)
    if submission.finished_at and _was_kept(submission):
        return kept(request, submission)
    if submission.state == Submission.State.SUBMITTED:
        return receipt_page(request, submission)
    try:
        session.check_workable(submission)
    except session.WorkRefused as refused:
        held = submission.state == Submission.State.HELD
        return refusal(request, refused.reason, leave=token if held else "", worker=refused.worker)
    if submission.campaign.state == Campaign.State.CLOSED:
        raise session.WorkRefused("closed")
    if not session.has_agreed(submission):
        return _consent_page(request, token, submission)
    return task_page(request, token, submission)


def _consent_page(
    request: HttpRequest, token: str, submission: Submission, *, age_missing: bool = False
) -> HttpResponse:
    context = texts_of(submission.campaign, pairs=pairs_in(submission))
    context |= {"token": token, "trial": _is_trial(submission), "age_missing": age_missing}
    context["going_on"] = going_on(submission.campaign)
    context |= _time_left(submission) | _unfinished(submission)
    return render(request, "judging/consent.html", context, status=422 if age_missing else 200)


def _unfinished(submission: Submission) -> dict[str, Any]:
    """Return the context on the worker's unfinished tasks; empty if no limit applies or the worker has none."""
    found = unfinished_of(submission.campaign, submission.worker)
    return {"unfinished": found} if found.left < found.most and not _is_trial(submission) else {}


def _time_left(submission: Submission) -> dict[str, Any]:
    """Return the context on the task's time: its end, the seconds left and the extra time; empty for a trial."""
    if (seconds := session.seconds_left(submission)) is None:
        return {}
    ends_at = (clock.now() + timedelta(seconds=seconds)).astimezone(UTC)
    as_time = '<time datetime="{}">{} UTC</time>'  # a script converts it to the reader's time zone
    return {
        "seconds_left": round(seconds),
        "ends_at": format_html(as_time, ends_at.isoformat(timespec="minutes"), f"{ends_at:%H:%M}"),
        "ends_in": duration_words(60 * ceil(seconds / 60), translation),
        "more_in": duration_words(more, translation) if (more := more_seconds(submission)) else "",
    }


def task_page(request: HttpRequest, token: str, submission: Submission, **said: Any) -> HttpResponse:
    """Render the page with the pairs. ``said`` is extra context on problems with the form that the worker sent."""
    pairs = shown_pairs(submission, said.pop("chosen", None))
    answered = sum(bool(pair.chosen) for pair in pairs)
    context = texts_of(submission.campaign, pairs=len(pairs)) | {
        "token": token,
        "trial": _is_trial(submission),
        "answered": answered,
        "begun": bool(answered),
        "scripts": SCRIPTS,
        "cents": {part: int(100 * getattr(pay_for(submission.campaign), part)) for part in ("base", "bonus")},
        "comment": request.POST.get("comment", submission.comment),
        "receipt": "" if _is_trial(submission) else receipt_of(submission),
    }
    context |= _time_left(submission) | said
    context["pairs"] = pairs_html(pairs, context)
    return render(request, "judging/task.html", context, status=422 if said else 200)


@require_POST
@in_frame
def consent(request: HttpRequest, token: str) -> HttpResponse:
    """Record the consent and redirect to the pairs. If a required confirmation of age is missing, ask again."""
    _, submission = page_of(request, token)
    session.check_workable(submission)
    if not session.give_consent(submission, of_age="of-age" in request.POST):
        return _consent_page(request, token, submission, age_missing=True)
    return redirect("judging:work", token=token)


@require_POST
@in_frame
def finish(request: HttpRequest, token: str) -> HttpResponse:
    """Finish the task on our side; the next page submits it at the crowd. If pairs have no choice, point them out."""
    _, submission = page_of(request, token)
    if submission.state != Submission.State.HELD:
        return _redirect_to_outcome(request, token, submission)
    if not session.has_agreed(submission):
        return redirect("judging:work", token=token)
    if hurried := save_posted_choices(request, token, submission):
        return hurried
    if left := _send_off(request, submission, complete=True):
        return task_page(request, token, submission, left=left)
    return redirect("judging:work", token=token)


@require_http_methods(["GET", "POST"])
@in_frame
def leave(request: HttpRequest, token: str) -> HttpResponse:
    """Let a worker stop before the last pair: show the pairs judged and their pay; finish the task once confirmed.

    Without a judged pair there is nothing to submit, so the page explains how to return the task.
    """
    _, submission = page_of(request, token)
    if submission.state != Submission.State.HELD:
        return _redirect_to_outcome(request, token, submission)
    if not session.has_agreed(submission) and submission.standing != Submission.Standing.EXCLUDED:
        return redirect("judging:work", token=token)
    if hurried := save_posted_choices(request, token, submission):
        return hurried
    pay, judged, shown, earned, unread = earned_so_far(submission)
    if judged and "confirmed" in request.POST:
        _send_off(request, submission)
        return redirect("judging:work", token=token)
    context = {
        "token": token,
        "campaign": submission.campaign,
        "trial": _is_trial(submission),
        "comment": request.POST.get("comment", ""),
        "pasted": "pasted" in request.POST,
        "receipt": "" if _is_trial(submission) else receipt_of(submission),
        "pay": pay,
        "judged": judged,
        "shown": shown,
        "earned": earned,
        "unread": unread,
        "bonus": earned - pay.base,
        **({} if judged else _unfinished(submission)),
        "may_go_on": submission.standing != Submission.Standing.EXCLUDED,
    }
    return render(request, "judging/leave.html", context)


def _redirect_to_outcome(request: HttpRequest, token: str, submission: Submission) -> HttpResponse:
    """Redirect to the page that shows the outcome of a task that the worker no longer holds.

    First saves the choices in the form, if the task's time ran out before a lost connection could send them.
    """
    if takes_late_choices(submission):
        save_posted_choices(request, token, submission)
    return redirect("judging:work", token=token)


def _send_off(request: HttpRequest, submission: Submission, *, complete: bool = False) -> list[int]:
    form = request.POST
    comment, pasted = form.get("comment", ""), "pasted" in form
    return session.finish(submission, complete=complete, comment=comment, pasted=pasted)


def save_posted_choices(request: HttpRequest, token: str, submission: Submission) -> HttpResponse | None:
    """Save the choices in the form that are not saved yet: all of them if the browser runs no scripts.

    If the form arrives before the campaign's minimum time for these pairs, saves nothing and returns a page that
    keeps the choices. Otherwise, returns None.
    """
    if not session.has_agreed(submission) or submission.standing == Submission.Standing.EXCLUDED:
        return None
    form, name = request.POST, "choice-"
    sides = {whole_number(field.removeprefix(name)): form[field] for field in form if field.startswith(name)}
    try:
        session.save_form(submission, sides)
    except session.WorkRefused as refused:
        if not refused.wait:
            raise
        chosen = {number: side for number, side in sides.items() if side in submission.campaign.answers}
        return task_page(request, token, submission, wait=ceil(refused.wait), chosen=chosen)
    return None


def sent(request: HttpRequest, page: Page, submission: Submission) -> HttpResponse:
    """Show the last step: a form for the crowd's site or a link to it with a code, and a receipt in case it fails.

    A trial is not submitted to a crowd, so it ends on a page of its own.
    """
    if _is_trial(submission):
        result = trials.trial_result(submission)
        taken = to_the_second(result.seconds, translation)
        return render(request, "judging/trial_done.html", {"result": result, "taken": taken})
    earned = earned_so_far(submission)
    context = {
        "campaign": submission.campaign,
        "pay": earned.pay,
        "judged": earned.judged,
        "shown": earned.shown,
        "timed_out": submission.timed_out_at is not None,
        "earned": earned.dollars,
        "sure_cents": int(100 * earned.dollars) if earned.sure else "",
        "unread": earned.unread,
        "left_early": submission.left_early,
        "step": last_step(submission, page.submit_to, earned),
        "receipt": receipt_of(submission),
        "contact": contact_of(submission.campaign),
        "paid_when": paid_when(submission, earned),
        "first": _is_first_showing(submission),
    }
    return render(request, "judging/sent.html", context)


def _was_kept(submission: Submission) -> bool:
    """Return whether the task was finished on our page but not submitted at the crowd's site in time.

    If its pay was rejected, return False: the receipt tells that and why.
    """
    if submission.state == Submission.State.LAPSED:
        return True
    kept = submission.payments.filter(kind=Payment.Kind.COMPENSATION, carrier=None)
    promised = kept.exclude(state=Payment.State.REJECTED)
    return submission.state == Submission.State.SUBMITTED and promised.exists()


def kept(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Show the page for a task that was finished here but not submitted at the crowd's site in time, with its pay."""
    earned = earned_so_far(submission)
    context = {
        "campaign": submission.campaign,
        "judged": earned.judged,
        "shown": earned.shown,
        "earned": earned.dollars,
        "owed": submission.state == Submission.State.SUBMITTED,
        "returned": bool(submission.crowd_ends_at and clock.now() < submission.crowd_ends_at),
        "sure": earned.sure,
        "unread": unread_words(earned) if earned.unread else "",
        "receipt": receipt_of(submission),
        "contact": contact_of(submission.campaign),
    }
    return render(request, "judging/kept.html", context)


def _is_first_showing(submission: Submission) -> bool:
    """Return whether the last step is shown for the first time. Only then is the crowd's form sent automatically.

    Without storage in the frame, the page itself cannot remember this. If the form were sent at every load, a worker
    whom the crowd's site rejects could never read what to do. If the cache loses the entry, the form is sent once
    more, which is harmless.
    """
    key = f"last-step:{submission.pk}:{submission.opened_at.timestamp()}"
    return first_time(key, seconds=REMEMBERED_SECONDS)
