"""What workers of a campaign say (reports of pairs, appeals), and what is written to them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from judging.models import Appeal
from judging.services import voices
from judging.services.answering import answer_appeal
from judging.services.messages import addressed, check_words, write_message
from web import jobs
from web.api.bodies import Body, DryRun
from web.api.workers import judged, offer_more, seen
from web.api.works import Text

router = Router()
Why = Annotated[Text, Field(min_length=1, max_length=2000, pattern=r"\S")]


class MessageIn(Body):
    """A message. ``dry_run`` only says to whom it would go; ``workers`` are meant by ``named``."""

    to: Literal["named", "excluded", "everybody"]
    workers: Annotated[list[Annotated[int, Field(ge=1, le=2**62)]], Field(max_length=1000)] = []
    subject: Annotated[Text, Field(min_length=1, max_length=200)]
    text: Annotated[Text, Field(min_length=1, max_length=4096)]
    dry_run: DryRun = False


class Written(Schema):
    """To whom a message goes. ``done``: it is on its way."""

    workers: list[int]
    done: bool


class Settling(Body):
    """What came of something that a worker said."""

    why: Why


class Answer(Settling):
    """An answer to an appeal: the worker reads ``why``. ``reinstate`` takes the exclusion back."""

    reinstate: bool


class Settled(Schema):
    """What was settled."""

    settled: str


@router.post(
    "/campaigns/{name}/messages",
    response={202: Written},
    summary="Write to workers through the crowd, or ask to whom it would go; the same words again are one message",
)
def write(request: HttpRequest, name: str, asked: MessageIn) -> Status[dict[str, Any]]:
    user, found = judged(request, name)
    people = addressed(found, asked.to, asked.workers)
    check_words(asked.subject, asked.text)
    if not asked.dry_run:
        rows = write_message(found, people, subject=asked.subject, text=asked.text, who=user.get_username())
        jobs.after_writing(found, rows)
    return Status(202, {"workers": [one.pk for one in people], "done": not asked.dry_run})


@router.get(
    "/campaigns/{name}/reports",
    response=list[dict[str, Any]],
    summary="Reports of pairs, the oldest first: those that wait, or also the settled",
)
def list_reports(request: HttpRequest, name: str, settled: bool = False) -> list[dict[str, Any]]:
    return voices.reports(seen(request, name), settled=settled)


@router.get(
    "/campaigns/{name}/appeals",
    response=list[dict[str, Any]],
    summary="Appeals, the oldest first: those that wait, or also the settled",
)
def list_appeals(request: HttpRequest, name: str, settled: bool = False) -> list[dict[str, Any]]:
    return voices.appeals(seen(request, name), settled=settled)


@router.post(
    "/campaigns/{name}/reports/{int:key}", response=Settled, summary="Keep what came of a report of a pair"
)
def settle_report(request: HttpRequest, name: str, key: int, said: Settling) -> dict[str, Any]:
    user, found = judged(request, name)
    voices.settle(found, f"r{key}", why=said.why, who=user.get_username())
    return {"settled": f"r{key}"}


@router.post(
    "/campaigns/{name}/appeals/{int:key}", response=Settled, summary="Answer an appeal; the worker reads why"
)
def answer(request: HttpRequest, name: str, key: int, said: Answer) -> dict[str, Any]:
    user, found = judged(request, name)
    appeal = get_object_or_404(Appeal.objects.select_related("worker"), campaign=found, pk=key)
    answer_appeal(found, appeal, why=said.why, reinstate=said.reinstate, who=user.get_username())
    offer_more(found)  # which also tells the worker
    return {"settled": f"a{key}"}
