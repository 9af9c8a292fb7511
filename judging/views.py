"""The pages workers see. No cookies and no sessions: a signed token in the address says whose page it is.

The pages stand in a sandboxed frame of a crowd's site, where the origin may be null, so that cookies, storage
and CSRF tokens do not work. The page token is what a CSRF token would be: nobody else knows it.
"""

from __future__ import annotations

from datetime import UTC, timedelta
from math import ceil
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.html import format_html
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from config import clock
from config.client_address import client_network
from config.counting import first_time
from config.errors import Refusal
from judging.crowds import crowd_for
from judging.durations import in_words, to_the_second
from judging.errors import ArrivalRefused
from judging.frame_views import for_sites_of, in_frame, refusal
from judging.models import Campaign, Choice, PairReport, Payment, Submission
from judging.prose import blocks
from judging.receipt_views import receipt_page
from judging.services import trials, working
from judging.services.cost import pay_for
from judging.services.links import campaign_of, posting_behind
from judging.services.offer_words import offer_of, paid_when, pairs_of
from judging.services.payments import earned_so_far
from judging.services.reconciling import receipt_of
from judging.services.running_out import more_seconds, takes_late_choices
from judging.services.showing import shown_pairs
from judging.services.slots import pairs_in
from judging.services.texts import contact_of, example_of, filled, going_on, language_of_example, ways_of
from judging.services.unfinished import unfinished_of
from judging.tokens import BadToken, Page, page_token, read_link, read_page
from judging.writing import direction

SCRIPTS = [
    f"judging/{name}.js"
    for name in ("watch", "queue", "deadline", "progress", "report", "keys", "reading", "task", "times")
]
#: How long it is known that the last step was shown: longer than any task is open.
REMEMBERED_SECONDS = 30 * 86_400
REPORT_KINDS = [
    (PairReport.Kind.BROKEN, gettext_lazy("Text is missing, cut off or unreadable")),
    (PairReport.Kind.OFFENSIVE, gettext_lazy("Offensive or upsetting")),
    (PairReport.Kind.LANGUAGE, gettext_lazy("Wrong language")),
    (PairReport.Kind.OTHER, gettext_lazy("Something else")),
]


@require_GET
@in_frame
def arrive(request: HttpRequest, token: str) -> HttpResponse:
    """Where a place leads: a preview, a refusal, or on to the worker's own page."""
    try:
        link = read_link(token)
    except BadToken:
        return refusal(request, "unknown-link")
    campaign = campaign_of(link)
    for_sites_of(campaign, request)
    try:
        arrival = crowd_for(campaign).read_arrival(request.GET)
    except ArrivalRefused:
        raise
    except Refusal:  # this process has no key for the crowd, so no signature can be checked
        raise working.WorkRefused("not-ready") from None
    if arrival.preview:
        context = texts_of(campaign) | {"time": in_words(campaign.assignment_seconds, translation)}
        return render(request, "judging/preview.html", context)
    request.came_by = arrival.assignment_id  # type: ignore[attr-defined]
    posting = posting_behind(campaign, link, arrival)
    submission = working.open_task(posting, arrival, network=client_network(request))
    return redirect("judging:work", token=page_token(submission, arrival.submit_to))


def page_of(request: HttpRequest, token: str) -> tuple[Page, Submission]:
    """What the page token names; raises WorkRefused when it names nothing."""
    try:
        page = read_page(token)
        submission = Submission.objects.select_related("campaign__collection", "worker").get(
            pk=page.submission_id
        )
    except (BadToken, Submission.DoesNotExist):
        raise working.WorkRefused("unknown-link") from None
    if not page.is_of(submission):
        raise working.WorkRefused("unknown-link")
    for_sites_of(submission.campaign, request)
    request.came_by = submission.assignment_id  # type: ignore[attr-defined]
    return page, submission


def _is_trial(submission: Submission) -> bool:
    return submission.standing == Submission.Standing.TRIAL


def texts_of(campaign: Campaign, *, pairs: int | None = None) -> dict[str, Any]:
    """What every page of the campaign has to say: texts with the figures, pay, language."""
    language = campaign.collection.language
    return {
        "campaign": campaign,
        "language": language,
        "direction": direction(language),
        "consent": blocks(filled(campaign, campaign.consent_text, pairs=pairs)),
        "instructions": blocks(filled(campaign, campaign.instructions_text, pairs=pairs)),
        "ways": ways_of(campaign),
        "example": example_of(campaign),
        "example_language": language_of_example(campaign),
        "example_direction": direction(language_of_example(campaign)),
        "total": pairs or campaign.slots_per_task,
        "pay": pay_for(campaign),
        "offer": offer_of(campaign, pairs or pairs_of(campaign), translation),
    }


@require_GET
@in_frame
def work(request: HttpRequest, token: str) -> HttpResponse:
    """The page of one submission: consent, then the pairs, then the way to the crowd's form."""
    page, submission = page_of(request, token)
    if submission.state == Submission.State.FINISHED:
        return sent(request, page, submission)
    if submission.finished_at and _was_kept(submission):
        return kept(request, submission)
    if submission.state == Submission.State.SUBMITTED:
        return receipt_page(request, submission)
    try:
        working.check_workable(submission)
    except working.WorkRefused as refused:
        held = submission.state == Submission.State.HELD
        return refusal(request, refused.reason, leave=token if held else "", worker=refused.worker)
    if submission.campaign.state == Campaign.State.CLOSED:
        raise working.WorkRefused("closed")
    if not working.has_agreed(submission):
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
    """What the page says of tasks that the worker left without a judged pair, if there are any."""
    found = unfinished_of(submission.campaign, submission.worker)
    return {"unfinished": found} if found.count and found.most and not _is_trial(submission) else {}


def _time_left(submission: Submission) -> dict[str, Any]:
    """When the time for the task is over, and how long that is, in seconds and in words."""
    if (seconds := working.seconds_left(submission)) is None:
        return {}
    ends_at = (clock.now() + timedelta(seconds=seconds)).astimezone(UTC)
    as_time = '<time datetime="{}">{} UTC</time>'  # a script puts it into the reader's zone
    return {
        "seconds_left": round(seconds),
        "ends_at": format_html(as_time, ends_at.isoformat(timespec="minutes"), f"{ends_at:%H:%M}"),
        "ends_in": in_words(60 * ceil(seconds / 60), translation),
        "more_in": in_words(more, translation) if (more := more_seconds(submission)) else "",
    }


def task_page(request: HttpRequest, token: str, submission: Submission, **said: Any) -> HttpResponse:
    """The pairs. ``said`` is what the page has to say of a form that could not be taken as it was."""
    pairs = shown_pairs(submission, said.pop("chosen", None))
    answered = sum(bool(pair.chosen) for pair in pairs)
    context = texts_of(submission.campaign, pairs=len(pairs)) | {
        "token": token,
        "trial": _is_trial(submission),
        "pairs": pairs,
        "answered": answered,
        "begun": bool(answered),
        "kinds": [(kind, str(words)) for kind, words in REPORT_KINDS],
        "scripts": SCRIPTS,
        "cents": {part: int(100 * getattr(pay_for(submission.campaign), part)) for part in ("base", "bonus")},
        "comment": request.POST.get("comment", submission.comment),
        "receipt": "" if _is_trial(submission) else receipt_of(submission),
    }
    context |= _time_left(submission)
    return render(request, "judging/task.html", context | said, status=422 if said else 200)


@require_POST
@in_frame
def consent(request: HttpRequest, token: str) -> HttpResponse:
    """The worker agrees."""
    _, submission = page_of(request, token)
    working.check_workable(submission)
    if not working.give_consent(submission, of_age="of-age" in request.POST):
        return _consent_page(request, token, submission, age_missing=True)
    return redirect("judging:work", token=token)


@require_POST
@in_frame
def finish(request: HttpRequest, token: str) -> HttpResponse:
    """Send the task off from our side; the next page carries the same answers to the crowd's form."""
    _, submission = page_of(request, token)
    if submission.state != Submission.State.HELD:
        return _over(request, token, submission)
    if not working.has_agreed(submission):
        return redirect("judging:work", token=token)
    if hurried := save_form(request, token, submission):
        return hurried
    if left := working.unanswered(submission):
        return task_page(request, token, submission, left=left)
    _send_off(request, submission)
    return redirect("judging:work", token=token)


@require_http_methods(["GET", "POST"])
@in_frame
def leave(request: HttpRequest, token: str) -> HttpResponse:
    """Stop before the last pair: what was judged and what it pays; on the second question the task is sent off.

    Without a pair judged there is nothing to send off: the page says how to give the task back.
    """
    _, submission = page_of(request, token)
    if submission.state != Submission.State.HELD:
        return _over(request, token, submission)
    if not working.has_agreed(submission) and submission.standing != Submission.Standing.EXCLUDED:
        return redirect("judging:work", token=token)
    if hurried := save_form(request, token, submission):
        return hurried
    pay, judged, shown, earned = earned_so_far(submission)
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
        "bonus": earned - pay.base,
        **({} if judged else _unfinished(submission)),
        "may_go_on": submission.standing != Submission.Standing.EXCLUDED,
    }
    return render(request, "judging/leave.html", context)


def _over(request: HttpRequest, token: str, submission: Submission) -> HttpResponse:
    """The task is not held any more: to the page that says what became of it.

    Choices that waited for a connection when the time ran out come with the form and are kept.
    """
    if takes_late_choices(submission):
        save_form(request, token, submission)
    return redirect("judging:work", token=token)


def _send_off(request: HttpRequest, submission: Submission) -> None:
    form = request.POST
    working.finish(submission, comment=form.get("comment", ""), pasted="pasted" in form)


def save_form(request: HttpRequest, token: str, submission: Submission) -> HttpResponse | None:
    """Without JavaScript no choice was saved as it was made: take them from the form.

    A page when that is sooner than the campaign's least time for so many pairs: nothing is saved, and the page has
    the choices still.
    """
    if not working.has_agreed(submission) or submission.standing == Submission.Standing.EXCLUDED:
        return None
    late, missing = takes_late_choices(submission), {}
    for number, (chosen, made) in working.choices_made(submission).items():
        side = request.POST.get(f"choice-{number}", "")
        if side and side != chosen and not (late and chosen):
            # The same number as the script's own save, should that still be under way: then both are one choice.
            missing[number] = (side, made)
    if wait := working.seconds_to_wait(submission, missing):
        chosen_here = {number: side for number, (side, _) in missing.items() if side in Choice.Side.values}
        return task_page(request, token, submission, wait=ceil(wait), chosen=chosen_here)
    how = working.Signals(input_method=Choice.InputMethod.FORM)
    for number, (side, made) in missing.items():
        working.save_choice(submission, number=number, sequence=made, side=side, signals=how)
    return None


def sent(request: HttpRequest, page: Page, submission: Submission) -> HttpResponse:
    """The last step to the crowd's site, a form or a way back with a code, and a receipt should it not go through.

    A trial goes to no crowd: it ends on a page of its own.
    """
    if _is_trial(submission):
        result = trials.trial_result(submission)
        taken = to_the_second(result.seconds, translation)
        return render(request, "judging/trial_done.html", {"result": result, "taken": taken})
    pay, judged, shown, earned = earned_so_far(submission)
    context = {
        "campaign": submission.campaign,
        "pay": pay,
        "judged": judged,
        "shown": shown,
        "timed_out": submission.timed_out_at is not None,
        "earned": earned,
        "left_early": submission.left_early,
        "step": working.last_step(submission, page.submit_to),
        "receipt": receipt_of(submission),
        "contact": contact_of(submission.campaign),
        "paid_when": paid_when(submission),
        "first": _is_first_showing(submission),
    }
    return render(request, "judging/sent.html", context)


def _was_kept(submission: Submission) -> bool:
    """Whether the time at the crowd's site ran out after it was sent off here."""
    if submission.state == Submission.State.LAPSED:
        return True
    compensated = submission.payments.filter(kind=Payment.Kind.COMPENSATION, carrier=None)
    return submission.state == Submission.State.SUBMITTED and compensated.exists()


def kept(request: HttpRequest, submission: Submission) -> HttpResponse:
    """What became of a task that the crowd's site did not get in time: what was judged is saved, and is paid."""
    pay, judged, shown, earned = earned_so_far(submission)
    context = {
        "campaign": submission.campaign,
        "judged": judged,
        "shown": shown,
        "earned": earned,
        "owed": submission.state == Submission.State.SUBMITTED,
        "sure": not pay.whole or bool(pay.bonus) or judged == shown,
        "receipt": receipt_of(submission),
        "contact": contact_of(submission.campaign),
    }
    return render(request, "judging/kept.html", context)


def _is_first_showing(submission: Submission) -> bool:
    """Whether the last step was never shown before: only then the crowd's form is sent by itself.

    The page cannot remember it in a frame without storage, and were it sent at every load, whoever the crowd's site
    turns away could never read what to do. Forgotten by the cache, it is sent by itself once more, which is harmless.
    """
    key = f"last-step:{submission.pk}:{submission.opened_at.timestamp()}"
    return first_time(key, seconds=REMEMBERED_SECONDS)
