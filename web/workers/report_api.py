"""API of messages from workers (reports of pairs, appeals) and messages to them."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from judging.jobs import continue_if_launched, ring_to_deliver
from judging.models import Appeal
from judging.page import reports_and_appeals
from judging.page.reports_and_appeals import answer_appeal
from judging.workers.messages import check_words, choose_addressees, write_message
from web.api.bodies import Body, DryRun
from web.api.callers import campaign_to_change, reader
from web.api.works import Text
from web.common.access import campaign_for

router = Router()
Why = Annotated[Text, Field(min_length=1, max_length=2000, pattern=r"\S")]


class MessageIn(Body):
    """A message. ``dry_run`` only returns the recipients; ``workers`` are used with ``named``."""

    to: Literal["named", "excluded", "everybody"]
    workers: Annotated[list[Annotated[int, Field(ge=1, le=2**62)]], Field(max_length=1000)] = []
    subject: Annotated[Text, Field(min_length=1, max_length=200)]
    text: Annotated[Text, Field(min_length=1, max_length=4096)]
    dry_run: DryRun = False


class Written(Schema):
    """The recipients of a message. ``done``: the message is being sent."""

    workers: list[int]
    done: bool


class Settling(Body):
    """The outcome of a report."""

    why: Why


class Answer(Settling):
    """An answer to an appeal: the worker reads ``why``. ``reinstate`` revokes the exclusion."""

    reinstate: bool


class Settled(Schema):
    """The settled report or appeal."""

    settled: str


@router.post(
    "/campaigns/{name}/messages",
    response={202: Written},
    summary="Message workers through the crowd, or preview the recipients; repeated texts are sent once",
)
def write(request: HttpRequest, name: str, asked: MessageIn) -> Status[dict[str, Any]]:
    user, found = campaign_to_change(request, name, "judge workers")
    people = choose_addressees(found, asked.to, asked.workers)
    check_words(asked.subject, asked.text)
    if not asked.dry_run:
        rows = write_message(found, people, subject=asked.subject, text=asked.text, who=user.get_username())
        ring_to_deliver(found, rows)
    return Status(202, {"workers": [one.pk for one in people], "done": not asked.dry_run})


@router.get(
    "/campaigns/{name}/reports",
    response=list[dict[str, Any]],
    summary="List reports of pairs, oldest first: open ones, or also settled ones",
)
def list_reports(request: HttpRequest, name: str, settled: bool = False) -> list[dict[str, Any]]:
    return reports_and_appeals.report_rows(
        campaign_for(reader(request), name, "see everything"), settled=settled
    )


@router.get(
    "/campaigns/{name}/appeals",
    response=list[dict[str, Any]],
    summary="List appeals, oldest first: open ones, or also settled ones",
)
def list_appeals(request: HttpRequest, name: str, settled: bool = False) -> list[dict[str, Any]]:
    return reports_and_appeals.appeals(campaign_for(reader(request), name, "see everything"), settled=settled)


@router.post(
    "/campaigns/{name}/reports/{int:key}",
    response=Settled,
    summary="Settle a report of a pair with its outcome",
)
def settle_report(request: HttpRequest, name: str, key: int, said: Settling) -> dict[str, Any]:
    user, found = campaign_to_change(request, name, "judge workers")
    reports_and_appeals.settle_report_or_appeal(found, f"r{key}", why=said.why, who=user.get_username())
    return {"settled": f"r{key}"}


@router.post(
    "/campaigns/{name}/appeals/{int:key}", response=Settled, summary="Answer an appeal; the worker reads why"
)
def answer(request: HttpRequest, name: str, key: int, said: Answer) -> dict[str, Any]:
    user, found = campaign_to_change(request, name, "judge workers")
    appeal = get_object_or_404(Appeal.objects.select_related("worker"), campaign=found, pk=key)
    answer_appeal(found, appeal, why=said.why, reinstate=said.reinstate, who=user.get_username())
    continue_if_launched(found)  # also notifies the worker
    return {"settled": f"a{key}"}
