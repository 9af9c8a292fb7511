"""The pages workers see. No cookies and no sessions: a signed token in the address says whose page it is.

The pages stand in a sandboxed frame of a crowd's site, where the origin may be null, so that cookies, storage
and CSRF tokens do not work. The page token is what a CSRF token would be: nobody else knows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.decorators import csp_replace
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.crowds import crowd_for
from judging.crowds.seam import Sites
from judging.errors import ArrivalRefused
from judging.models import Campaign, Consent, Posting, Submission
from judging.refusals import REFUSALS
from judging.services import trials, working
from judging.services.cost import pay_for
from judging.services.payments import earned_so_far
from judging.services.reconciling import receipt_of
from judging.services.texts import filled
from judging.services.workers import refusal_reason
from judging.tokens import BadToken, Page, page_token, read_link, read_page

View = Callable[..., HttpResponse]


def _crowd_may_frame(view: View) -> View:
    """Name the crowd's sites in the page's policy: the campaign's, or the settings' where no campaign is known."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        sites = getattr(request, "crowd_sites", Sites(settings.CROWD_HOSTS, settings.CROWD_HOSTS))
        policy = {"frame-ancestors": ["'self'", *sites.frames], "form-action": ["'self'", *sites.forms]}
        with_policy: Callable[..., Any] = csp_replace(policy)(lambda _request: response)
        allowed: HttpResponse = with_policy(request)
        return allowed

    return wrapped


def _for_sites_of(campaign: Campaign, request: HttpRequest) -> None:
    """Have the page's policy name the sites of the campaign's crowd."""
    request.crowd_sites = crowd_for(campaign).sites()  # type: ignore[attr-defined]


def in_frame(view: View) -> Any:
    """Allow the crowd's site to frame the page; no cookies, no caching, no referrer."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response = view(request, *args, **kwargs)
        except working.WorkRefused as refused:
            response = refusal(request, refused.reason)
        except ArrivalRefused as refused:
            response = refusal(request, "unknown-link", detail=str(refused))
        response["Referrer-Policy"] = "no-referrer"
        return response

    return csrf_exempt(never_cache(xframe_options_exempt(_crowd_may_frame(wrapped))))


def refusal(request: HttpRequest, reason: str, *, detail: str = "", leave: str = "") -> HttpResponse:
    """A page of its own for every reason: what it is, what it means for pay, what to do.

    ``leave`` is the token of a page whose worker may not go on, but may send off what is judged and be paid for it.
    """
    context = {"refusal": REFUSALS[reason], "reason": reason, "detail": detail, "leave": leave}
    return render(request, "judging/refused.html", context, status=REFUSALS[reason].status)


@require_GET
@in_frame
def arrive(request: HttpRequest, token: str) -> HttpResponse:
    """Where a place leads: a preview, a refusal, or on to the worker's own page."""
    try:
        link = read_link(token)
        posting = Posting.objects.select_related("campaign").get(
            pk=link.posting_id, campaign=link.campaign_id
        )
    except (BadToken, Posting.DoesNotExist):
        return refusal(request, "unknown-link")
    _for_sites_of(posting.campaign, request)
    arrival = crowd_for(posting.campaign).read_arrival(request.GET)
    if arrival.preview:
        return render(request, "judging/preview.html", _texts(posting.campaign))
    submission = working.open_task(posting, arrival)
    return redirect("judging:work", token=page_token(submission, arrival.submit_to))


def _page(request: HttpRequest, token: str) -> tuple[Page, Submission]:
    try:
        page = read_page(token)
        submission = Submission.objects.select_related("campaign", "worker").get(pk=page.submission_id)
    except (BadToken, Submission.DoesNotExist):
        raise working.WorkRefused("unknown-link") from None
    _for_sites_of(submission.campaign, request)
    return page, submission


def _is_trial(submission: Submission) -> bool:
    return submission.standing == Submission.Standing.TRIAL


def _texts(campaign: Campaign, *, pairs: int | None = None) -> dict[str, Any]:
    return {
        "campaign": campaign,
        "consent": filled(campaign, campaign.consent_text, pairs=pairs),
        "instructions": filled(campaign, campaign.instructions_text, pairs=pairs),
        "total": pairs or campaign.pairs_per_task + campaign.gold_per_task,
        "pay": pay_for(campaign),
    }


@require_GET
@in_frame
def work(request: HttpRequest, token: str) -> HttpResponse:
    """The page of one submission: consent, then the pairs, then the way to the crowd's form."""
    page, submission = _page(request, token)
    if submission.state == Submission.State.FINISHED:
        return sent(request, page, submission)
    try:
        working.check_workable(submission)
    except working.WorkRefused as refused:
        held = submission.state == Submission.State.HELD
        return refusal(request, refused.reason, leave=token if held else "")
    campaign = submission.campaign
    if campaign.state == campaign.State.CLOSED:
        raise working.WorkRefused("closed")
    context = _texts(campaign, pairs=submission.slots.count()) | {
        "token": token,
        "trial": _is_trial(submission),
    }
    if not Consent.objects.filter(submission=submission).exists():
        return render(request, "judging/consent.html", context)
    pairs = working.shown_pairs(submission)
    context |= {"pairs": pairs, "total": len(pairs), "answered": sum(bool(pair.chosen) for pair in pairs)}
    return render(request, "judging/task.html", context)


@require_POST
@in_frame
def consent(request: HttpRequest, token: str) -> HttpResponse:
    """The worker agrees."""
    _, submission = _page(request, token)
    working.check_workable(submission)
    working.give_consent(submission)
    return redirect("judging:work", token=token)


@in_frame
def save(request: HttpRequest, token: str) -> HttpResponse:
    """One choice, as it is made. Answers scripts of a frame without an origin."""
    if request.method != "POST":
        return _readable_anywhere(JsonResponse({"saved": False}, status=405))
    try:
        submission = _saving(token)
        form = request.POST
        working.save_choice(
            submission,
            number=_whole(form.get("slot", "")),
            sequence=_whole(form.get("sequence", "")),
            side=form.get("side", ""),
            seconds=_seconds(form.get("seconds", "")),
        )
    except working.WorkRefused as refused:
        words = REFUSALS[refused.reason]
        reply = {"saved": False, "reason": refused.reason, "message": words.title}
        return _readable_anywhere(JsonResponse(reply, status=409))
    return _readable_anywhere(JsonResponse({"saved": True}))


def _saving(token: str) -> Submission:
    """The submission of a save: the most frequent request reads the least."""
    try:
        known = Submission.objects.select_related("campaign").only(
            "state", "standing", "campaign__allow_undecided"
        )
        return known.get(pk=read_page(token).submission_id)
    except (BadToken, Submission.DoesNotExist):
        raise working.WorkRefused("unknown-link") from None


def _whole(word: str) -> int:
    return int(word) if word.isdecimal() and len(word) < 9 else -1


def _seconds(word: str) -> float | None:
    """How long a pair was on screen, a day at most; None for what is no duration."""
    return min(float(word), 86400.0) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?", word) else None


def _readable_anywhere(response: HttpResponse) -> HttpResponse:
    # No cookie or other ambient right goes with these requests: the token in the address is all there is.
    response["Access-Control-Allow-Origin"] = "*"
    return response


@require_POST
@in_frame
def finish(request: HttpRequest, token: str) -> HttpResponse:
    """Send the task off from our side; the next page carries the same answers to the crowd's form."""
    page, submission = _page(request, token)
    if submission.state == Submission.State.HELD:
        _save_missing(request, submission)
        if left := working.unanswered(submission):
            context = _texts(submission.campaign, pairs=submission.slots.count()) | {
                "token": token,
                "trial": _is_trial(submission),
                "pairs": working.shown_pairs(submission),
                "left": left,
                "comment": request.POST.get("comment", ""),
            }
            context |= {"total": len(context["pairs"]), "answered": len(context["pairs"]) - len(left)}
            return render(request, "judging/task.html", context, status=422)
        working.finish(submission, comment=request.POST.get("comment", ""))
    elif submission.state != Submission.State.FINISHED:
        working.check_workable(submission)
    return redirect(reverse("judging:work", args=[token]))


@require_http_methods(["GET", "POST"])
@in_frame
def leave(request: HttpRequest, token: str) -> HttpResponse:
    """Stop before the last pair: what was judged and what it pays; on the second question the task is sent off."""
    _, submission = _page(request, token)
    if submission.state == Submission.State.HELD:
        _save_missing(request, submission)
        if "confirmed" not in request.POST:
            pay, judged, shown, earned = earned_so_far(submission)
            context = {
                "token": token,
                "campaign": submission.campaign,
                "comment": request.POST.get("comment", ""),
            }
            context |= {
                "pay": pay,
                "judged": judged,
                "shown": shown,
                "earned": earned,
                "bonus": earned - pay.base,
            }
            context |= {"may_go_on": submission.standing != Submission.Standing.EXCLUDED}
            return render(request, "judging/leave.html", context)
        working.finish(submission, comment=request.POST.get("comment", ""))
    elif submission.state != Submission.State.FINISHED:
        working.check_workable(submission)
    return redirect(reverse("judging:work", args=[token]))


def _save_missing(request: HttpRequest, submission: Submission) -> None:
    """Without JavaScript no choice was saved as it was made: take them from the form."""
    for number, (chosen, made) in working.choices_made(submission).items():
        side = request.POST.get(f"choice-{number}", "")
        if side and side != chosen:
            # The same number as the script's own save, should that still be under way: then both are one choice.
            working.save_choice(submission, number=number, sequence=made, side=side)


def sent(request: HttpRequest, page: Page, submission: Submission) -> HttpResponse:
    """The last step to the crowd's site, a form or a way back with a code, and a receipt should it not go through.

    A trial goes to no crowd: it ends on a page of its own.
    """
    if _is_trial(submission):
        return render(request, "judging/trial_done.html", {"result": trials.trial_result(submission)})
    context = {
        "campaign": submission.campaign,
        "earned": earned_so_far(submission)[3],
        "left_early": submission.left_early,
        "step": working.last_step(submission, page.submit_to),
        "receipt": receipt_of(submission),
        "more": refusal_reason(submission.campaign, submission.worker) is None,
    }
    return render(request, "judging/sent.html", context)
