"""Errors as RFC 9457 problem details: what happened, and what to do next."""

from __future__ import annotations

import difflib
import json
import logging
import re
from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.views import defaults
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI
from ninja.errors import HttpError, Throttled, ValidationError

from config.background.errors import TooMuchAsked
from config.errors import NotNow, Refusal
from judging.errors import BadInput, CampaignRefused, MayNotSpend, NotReady
from leaderboard.errors import UnknownLabels
from pooling.errors import (
    AlreadyImported,
    AlreadySplit,
    GrantOver,
    KeyUsed,
    MembersRefused,
    NotFound,
    NotWithdrawn,
    QuotaReached,
    UploadRefused,
    WrongOffset,
)
from tournament.errors import (
    CampaignOver,
    ChallengeUnderWay,
    NoSuchVersion,
    NotAsShown,
    NothingToPublish,
    OnlyRehearsed,
    SpendNotConfirmed,
    TextsMissing,
)
from web.errors import AnotherUnderWay, WebhookRefused
from web.services.directions import in_words

logger = logging.getLogger(__name__)
CONTENT_TYPE = "application/problem+json"
MEND = "Mend what the problems name; /api/v1/openapi.json has every parameter and field."
TITLES = {
    400: "The request is not as it must be",
    401: "Sign in with a token",
    403: "Your role or token does not include this",
    404: "There is no such thing",
    405: "This address does not take that method",
    409: "It cannot be done as things stand",
    411: "The length is missing",
    413: "It is too large",
    415: "A file does not come so",
    422: "It was refused",
    429: "Too many calls",
    500: "A fault of the software",
    503: "Not now",
}
#: What Django says of a row that is not there, and what people call such a row.
UNFOUND = re.compile(r"No (?P<model>\w+) matches the given query\.")
NAMES = {
    "AddedFiles": "addition of files",
    "Appeal": "appeal",
    "InvitedMember": "invitation",
    "Job": "work",
    "Membership": "member",
    "NewCollection": "new collection",
    "Pool": "pool",
    "QrelVersion": "version",
    "Run": "run",
    "RunUpload": "upload",
    "SpendingGrant": "spending grant",
    "WebhookDelivery": "message",
    "WebhookEndpoint": "webhook",
}
NOT_THERE = (NotFound, NoSuchVersion, UnknownLabels)
#: What cannot be done as things stand. What is wrong in itself, however things stand, is answered with 422.
CONFLICTS = (
    AlreadyImported,
    AlreadySplit,
    AnotherUnderWay,
    CampaignRefused,
    CampaignOver,
    ChallengeUnderWay,
    GrantOver,
    KeyUsed,
    MembersRefused,
    NotAsShown,
    NothingToPublish,
    NotReady,
    NotWithdrawn,
    OnlyRehearsed,
    SpendNotConfirmed,
    TextsMissing,
    TooMuchAsked,
    WebhookRefused,
    WrongOffset,
)


class Unauthenticated(Exception):
    """No token, or one that opens nothing."""


def problem(
    status: int, detail: str = "", *, headers: dict[str, str] | None = None, **more: Any
) -> HttpResponse:
    """An answer that says what is wrong."""
    content = {"type": "about:blank", "title": TITLES.get(status, "Error"), "status": status}
    content |= {name: value for name, value in ({"detail": detail} | more).items() if value}
    return HttpResponse(
        json.dumps(content, ensure_ascii=False), status=status, content_type=CONTENT_TYPE, headers=headers
    )


def status_of(refusal: Refusal) -> int:
    """The status that a refusal of a service stands for."""
    if isinstance(refusal, QuotaReached):
        return 409
    if isinstance(refusal, UploadRefused):
        return 413 if refusal.too_large else 400
    if isinstance(refusal, NOT_THERE):
        return 404
    if isinstance(refusal, MayNotSpend):
        return 403
    return 409 if isinstance(refusal, CONFLICTS) and not isinstance(refusal, BadInput) else 422


def refused(request: HttpRequest, refusal: Any) -> HttpResponse:
    """What a service refused."""
    if isinstance(refusal, NotNow):
        # The reason names servers and settings: it is for the log.
        logger.warning("%s cannot be answered now: %s", request.path, refusal)
        return problem(503, "Ask again later.", headers={"Retry-After": str(round(refusal.seconds))})
    where = {"Upload-Offset": str(refusal.offset)} if isinstance(refusal, WrongOffset) else None
    next_step = in_words(refusal.next_step)
    return problem(status_of(refusal), in_words(refusal.message), next_step=next_step, headers=where)


@csrf_exempt
def no_such_call(request: HttpRequest, rest: str) -> HttpResponse:
    """An address below /api/v1/ that is none."""
    return problem(404, "The calls are listed in /api/v1/openapi.json.")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Status 400 for an address that no view should see."""
    if request.path.startswith("/api/"):
        return problem(400, str(exception))
    return defaults.bad_request(request, exception)


def _on_validation(request: HttpRequest, error: Any) -> HttpResponse:
    found = [{"where": _where(one["loc"]), "reason": _reason(one)} for one in error.errors]
    return problem(422, "Some parameters are not as they must be.", next_step=MEND, problems=found)


def _reason(error: dict[str, Any]) -> str:
    said = unknown_name(str(error["loc"][-1]), ()) if error["type"] == "extra_forbidden" else error["msg"]
    return str(said)


def unknown_name(name: str, known: Collection[str]) -> str:
    """That there is no such parameter or field, and which one may be meant."""
    meant = difflib.get_close_matches(name, known, n=1)
    return f"There is no {name}." + (f" Is {meant[0]} meant?" if meant else "")


def _where(place: tuple[str | int, ...]) -> str:
    """``query/limit``, ``body/runs/0``: of a body the library says first what our function calls it."""
    shown = (place[0], *place[2:]) if place[0] == "body" else place
    return "/".join(map(str, shown))


def _on_http_error(request: HttpRequest, error: Any) -> HttpResponse:
    # The library says of a body only that it could not be parsed; the parser says why.
    error = error.__cause__ if isinstance(error.__cause__, HttpError) else error
    if isinstance(error, Throttled):
        wait = {"Retry-After": str(round(error.wait))} if error.wait else None
        return problem(429, str(error), next_step="Ask again after the seconds of Retry-After.", headers=wait)
    return problem(error.status_code, str(error))


def _on_not_there(request: HttpRequest, error: Any) -> HttpResponse:
    said = str(error)
    unfound = UNFOUND.fullmatch(said)
    if unfound:
        said = f"There is no such {NAMES.get(unfound['model'], 'thing')} here."
    return problem(404, said)


def _on_large_body(request: HttpRequest, error: Any) -> HttpResponse:
    most = f"A body of JSON has at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,} bytes."
    return problem(413, most, next_step="Send it in several calls.")


def _on_no_token(request: HttpRequest, error: Any) -> HttpResponse:
    return problem(401, str(error), headers={"WWW-Authenticate": "Bearer"})


def _on_fault(request: HttpRequest, error: Any) -> HttpResponse:
    logger.error("A call of the API failed.", exc_info=error)
    return problem(500)


def handle(api: NinjaAPI) -> None:
    """Have every error of the API answered so."""
    api.add_exception_handler(ValidationError, _on_validation)
    api.add_exception_handler(HttpError, _on_http_error)
    api.add_exception_handler(Refusal, refused)
    api.add_exception_handler(Unauthenticated, _on_no_token)
    api.add_exception_handler(Http404, _on_not_there)
    api.add_exception_handler(RequestDataTooBig, _on_large_body)
    api.add_exception_handler(PermissionDenied, lambda _, error: problem(403, str(error)))
    api.add_exception_handler(Exception, _on_fault)
