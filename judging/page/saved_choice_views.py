"""Views for the page's script while a worker judges: save a choice, and read the saved choices."""

import re
from math import ceil
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from judging.exchange.link_tokens import Page, read_page
from judging.models import Submission
from judging.page import session
from judging.page.frame_views import in_frame, speak_language_of
from judging.rules.refusals import OVER, REFUSALS


@in_frame
def save(request: HttpRequest, token: str) -> HttpResponse:
    """Save one choice as soon as the worker makes it. The response is JSON."""
    if request.method != "POST":
        return readable_anywhere(JsonResponse({"saved": False}, status=405))
    try:
        page, choice = read_page(token), _choice_in_form(request.POST)
        if not session.save_at_once(page, **choice):
            session.save_choice(_submission_of(page), **choice)
    except session.WorkRefused as refused:
        return refused_save(refused)
    return readable_anywhere(JsonResponse({"saved": True}))


def refused_save(refused: session.WorkRefused) -> HttpResponse:
    """Return the JSON response for a script whose request was refused.

    ``wait`` is the number of seconds after which the script can try again. ``over`` means that nothing more can be
    saved.
    """
    reply = {"saved": False, "reason": refused.reason, "message": gettext(REFUSALS[refused.reason].title)}
    if refused.wait:
        reply["wait"] = ceil(refused.wait * 10) / 10  # rounding down would make the next try too early
    if refused.reason in OVER:
        reply["over"] = True
    return readable_anywhere(JsonResponse(reply, status=409))


@require_GET
@in_frame
def state(_request: HttpRequest, token: str) -> HttpResponse:
    """Return the saved choices and the seconds left as JSON, for a worker who comes back to the page."""
    try:
        submission = _submission_of(read_page(token))
        session.check_workable(submission)
    except session.WorkRefused as refused:
        return refused_save(refused)
    choices = {number: list(made) for number, made in session.choices_made(submission).items()}
    return readable_anywhere(JsonResponse({"choices": choices, "left": session.seconds_left(submission)}))


def _submission_of(page: Page) -> Submission:
    """Return the submission of a page, with only the fields that the script's requests need.

    Raises WorkRefused if there is none or the worker has not agreed to the consent text.
    """
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
        "campaign__grades",
        "campaign__minimum_seconds",
        "campaign__language",
        "consent__submission",
    )
    submission = known.filter(pk=page.submission_id).first()
    if submission is None or not page.is_of(submission.assignment_id):
        raise session.WorkRefused("unknown-link")
    speak_language_of(submission.campaign)
    if not hasattr(submission, "consent"):
        session.check_workable(submission)
        raise session.WorkRefused("no-consent")
    return submission


def _choice_in_form(form: QueryDict) -> dict[str, Any]:
    return {
        "number": whole_number(form.get("slot", "")),
        "sequence": whole_number(form.get("sequence", "")),
        "side": form.get("side", ""),
        "signals": _signals_in_form(form),
    }


def _signals_in_form(form: QueryDict) -> session.Signals:
    return session.Signals(
        seconds=_seconds_in_field(form.get("seconds", "")),
        hidden=_seconds_in_field(form.get("hidden", "")),
        focus_lost=whole_number(form.get("lost", "")),
        input_method=form.get("input", ""),
        viewport=form.get("viewport", ""),
        age=_seconds_in_field(form.get("age", "")) or 0.0,
    )


def whole_number(word: str) -> int:
    """Return the whole number of at most 8 digits in a form field, or -1 if the field contains anything else."""
    return int(word) if word.isdecimal() and len(word) < 9 else -1


def _seconds_in_field(word: str) -> float | None:
    """Return the seconds that a form field contains, at most a day, or None if it contains no number."""
    return min(float(word), 86400.0) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?", word) else None


def readable_anywhere(response: HttpResponse) -> HttpResponse:
    """Let a script in a frame without an origin read the response."""
    # These requests carry no cookie or other ambient authority, only the token in the address.
    response["Access-Control-Allow-Origin"] = "*"
    return response
