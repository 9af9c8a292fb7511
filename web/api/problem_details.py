"""Errors as RFC 9457 problem details: what happened and how to fix it."""

import difflib
import json
import logging
from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.views import defaults
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI
from ninja.errors import HttpError, Throttled, ValidationError

from config.background.models import Job
from config.errors import NotNow, Refusal
from judging.errors import MayNotSpend
from judging.models import Appeal
from leaderboard.errors import UnknownLabels
from pooling.errors import (
    NotFound,
    UploadRefused,
    WrongOffset,
)
from pooling.models import (
    AddedFiles,
    InvitedMember,
    Membership,
    NewCollection,
    Pool,
    Run,
    RunUpload,
    SpendingGrant,
)
from tournament.errors import (
    NoSuchVersion,
)
from tournament.models import QrelVersion
from web.api.caller_guidance import guidance_for
from web.errors import BoardBeingDrawn
from web.models import WebhookDelivery, WebhookEndpoint

logger = logging.getLogger(__name__)
CONTENT_TYPE = "application/problem+json"
MEND = "Fix the problems listed. See /api/v1/openapi.json for every parameter and field."
TITLES = {
    400: "Bad request",
    401: "Authentication required",
    403: "Your role or token does not allow this",
    404: "Not found",
    405: "Method not allowed",
    409: "Not possible in the current state",
    411: "Content-Length is missing",
    413: "The request body is too large",
    415: "Send the file as the request body",
    422: "Invalid request",
    429: "Too many calls",
    500: "Server error",
    503: "Temporarily unavailable",
}
#: How our message names a missing row. ``get_object_or_404`` raises Http404 from the model's DoesNotExist.
NAMES: dict[type[BaseException], str] = {
    AddedFiles.DoesNotExist: "addition of files",
    Appeal.DoesNotExist: "appeal",
    InvitedMember.DoesNotExist: "invitation",
    Job.DoesNotExist: "job",
    Membership.DoesNotExist: "member",
    NewCollection.DoesNotExist: "new collection",
    Pool.DoesNotExist: "pool",
    QrelVersion.DoesNotExist: "version",
    Run.DoesNotExist: "run",
    RunUpload.DoesNotExist: "upload",
    SpendingGrant.DoesNotExist: "spending grant",
    WebhookDelivery.DoesNotExist: "message",
    WebhookEndpoint.DoesNotExist: "webhook",
}
NOT_THERE = (NotFound, NoSuchVersion, UnknownLabels)


class Unauthenticated(Exception):
    """The token is missing or invalid."""


def problem(
    status: int, detail: str = "", *, headers: dict[str, str] | None = None, **more: Any
) -> HttpResponse:
    content = {"type": "about:blank", "title": TITLES.get(status, "Error"), "status": status}
    content |= {name: value for name, value in ({"detail": detail} | more).items() if value}
    return HttpResponse(
        json.dumps(content, ensure_ascii=False), status=status, content_type=CONTENT_TYPE, headers=headers
    )


def status_of(refusal: Refusal) -> int:
    """Return the HTTP status for a service's refusal."""
    if refusal.conflict:
        return 409
    if isinstance(refusal, UploadRefused):
        return 413 if refusal.too_large else 400
    if isinstance(refusal, NOT_THERE):
        return 404
    return 403 if isinstance(refusal, MayNotSpend) else 422


def refusal_response(request: HttpRequest, refusal: Any) -> HttpResponse:
    if isinstance(refusal, BoardBeingDrawn):
        again = {"Retry-After": str(refusal.seconds), "Cache-Control": "no-store"}
        return problem(503, refusal.message, next_step=str(refusal.next_step), headers=again)
    if isinstance(refusal, NotNow):
        # The reason names servers and settings, so it is only logged.
        logger.warning("%s cannot be answered now: %s", request.path, refusal)
        return problem(503, "Try again later.", headers={"Retry-After": str(round(refusal.seconds))})
    where = {"Upload-Offset": str(refusal.offset)} if isinstance(refusal, WrongOffset) else None
    said = guidance_for(request)
    return problem(
        status_of(refusal), said(refusal.message), next_step=said(refusal.next_step), headers=where
    )


@csrf_exempt
def no_such_call(request: HttpRequest, rest: str) -> HttpResponse:
    """Return 404 for an unknown address below /api/v1/."""
    return problem(404, "See /api/v1/openapi.json for all calls.")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return 400 for an invalid address or request."""
    if request.path.startswith("/api/"):
        return problem(400, str(exception))
    return defaults.bad_request(request, exception)


def _on_validation(request: HttpRequest, error: Any) -> HttpResponse:
    found = [{"where": _error_place(one["loc"]), "reason": _error_words(one)} for one in error.errors]
    return problem(422, "Some parameters or fields are invalid.", next_step=MEND, problems=found)


def _error_words(error: dict[str, Any]) -> str:
    said = unknown_name(str(error["loc"][-1]), ()) if error["type"] == "extra_forbidden" else error["msg"]
    return str(said)


def unknown_name(name: str, known: Collection[str], kind: str = "field") -> str:
    """Return the error message for an unknown name, with the closest known name."""
    meant = difflib.get_close_matches(name, known, n=1)
    return f"Unknown {kind} `{name}`." + (f" Did you mean `{meant[0]}`?" if meant else "")


def _error_place(place: tuple[str | int, ...]) -> str:
    """Return an error's location, such as ``query/limit`` or ``body/runs/0``.

    The name of the view's body parameter is left out.
    """
    shown = (place[0], *place[2:]) if place[0] == "body" else place
    return "/".join(map(str, shown))


def _on_http_error(request: HttpRequest, error: Any) -> HttpResponse:
    # The library only says that the body could not be parsed; the parser says why.
    error = error.__cause__ if isinstance(error.__cause__, HttpError) else error
    if isinstance(error, Throttled):
        wait = {"Retry-After": str(round(error.wait))} if error.wait else None
        return problem(
            429, str(error), next_step="Wait as many seconds as Retry-After says, then retry.", headers=wait
        )
    return problem(error.status_code, str(error))


def _on_not_there(request: HttpRequest, error: Any) -> HttpResponse:
    missing = error.__context__
    if isinstance(missing, ObjectDoesNotExist):
        return problem(404, f"There is no such {NAMES.get(type(missing), 'object')} here.")
    return problem(404, str(error))


def _on_large_body(request: HttpRequest, error: Any) -> HttpResponse:
    most = f"A JSON body can have at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,} bytes."
    return problem(413, most, next_step="Split it into several calls.")


def _on_no_token(request: HttpRequest, error: Any) -> HttpResponse:
    return problem(401, str(error), headers={"WWW-Authenticate": "Bearer"})


def _on_fault(request: HttpRequest, error: Any) -> HttpResponse:
    logger.error("A call of the API failed.", exc_info=error)
    return problem(500)


def handle(api: NinjaAPI) -> None:
    """Register the handlers that turn every API error into a problem document."""
    api.add_exception_handler(ValidationError, _on_validation)
    api.add_exception_handler(HttpError, _on_http_error)
    api.add_exception_handler(Refusal, refusal_response)
    api.add_exception_handler(Unauthenticated, _on_no_token)
    api.add_exception_handler(Http404, _on_not_there)
    api.add_exception_handler(RequestDataTooBig, _on_large_body)
    api.add_exception_handler(PermissionDenied, lambda _, error: problem(403, str(error)))
    api.add_exception_handler(Exception, _on_fault)
