"""What the page's script asks while a worker judges: to save a choice, and how things stand."""

from __future__ import annotations

import re
from math import ceil

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from judging.frame_views import in_frame, speak_language_of
from judging.models import Submission
from judging.refusals import REFUSALS
from judging.services import working
from judging.tokens import BadToken, read_page


@in_frame
def save(request: HttpRequest, token: str) -> HttpResponse:
    """One choice, as it is made. Answers scripts of a frame without an origin."""
    if request.method != "POST":
        return readable_anywhere(JsonResponse({"saved": False}, status=405))
    try:
        submission = _saving(token)
        form = request.POST
        working.save_choice(
            submission,
            number=whole(form.get("slot", "")),
            sequence=whole(form.get("sequence", "")),
            side=form.get("side", ""),
            signals=_signals(form),
        )
    except working.WorkRefused as refused:
        return refused_save(refused)
    return readable_anywhere(JsonResponse({"saved": True}))


def refused_save(refused: working.WorkRefused) -> HttpResponse:
    """The answer to a script that is refused; with ``wait``, the same may be tried again so many seconds later."""
    reply = {"saved": False, "reason": refused.reason, "message": gettext(REFUSALS[refused.reason].title)}
    if refused.wait:
        reply["wait"] = ceil(refused.wait * 10) / 10  # rounded down, it would be too soon again
    return readable_anywhere(JsonResponse(reply, status=409))


@require_GET
@in_frame
def state(_request: HttpRequest, token: str) -> HttpResponse:
    """What is saved by now, and the seconds left: for a page that somebody comes back to."""
    try:
        submission = _saving(token)
        working.check_workable(submission)
    except working.WorkRefused as refused:
        return refused_save(refused)
    choices = {number: list(made) for number, made in working.choices_made(submission).items()}
    return readable_anywhere(JsonResponse({"choices": choices, "left": working.seconds_left(submission)}))


def _saving(token: str) -> Submission:
    """The submission of a save: the most frequent request reads the least."""
    try:
        known = Submission.objects.select_related("campaign", "consent").only(
            "state",
            "standing",
            "opened_at",
            "ends_at",
            "crowd_ends_at",
            "timed_out_at",
            "resumed_pairs",
            "assignment_id",
            "worker",
            "campaign__allow_undecided",
            "campaign__minimum_seconds",
            "campaign__language",
            "consent__submission",
        )
        page = read_page(token)
        submission = known.get(pk=page.submission_id)
    except (BadToken, Submission.DoesNotExist):
        raise working.WorkRefused("unknown-link") from None
    if not page.is_of(submission):
        raise working.WorkRefused("unknown-link")
    speak_language_of(submission.campaign)
    if not hasattr(submission, "consent"):
        working.check_workable(submission)
        raise working.WorkRefused("no-consent")
    return submission


def _signals(form: QueryDict) -> working.Signals:
    return working.Signals(
        seconds=_seconds(form.get("seconds", "")),
        hidden=_seconds(form.get("hidden", "")),
        focus_lost=whole(form.get("lost", "")),
        input_method=form.get("input", ""),
        viewport=form.get("viewport", ""),
        age=_seconds(form.get("age", "")) or 0.0,
    )


def whole(word: str) -> int:
    """The whole number in a field; -1 when there is none."""
    return int(word) if word.isdecimal() and len(word) < 9 else -1


def _seconds(word: str) -> float | None:
    """A duration, a day at most; None for what is none."""
    return min(float(word), 86400.0) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?", word) else None


def readable_anywhere(response: HttpResponse) -> HttpResponse:
    """Let a script of a frame without an origin read the answer."""
    # No cookie or other ambient right goes with these requests: the token in the address is all there is.
    response["Access-Control-Allow-Origin"] = "*"
    return response
