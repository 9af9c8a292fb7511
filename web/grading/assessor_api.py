"""API of assessors: take a topic, grade its passages, decline it."""

from typing import Annotated, Any

from django.http import Http404, HttpRequest
from ninja import Field, Router, Schema, Status

from accounts.models import ApiToken
from judging.grading import assignments, grades
from judging.jobs import ring_to_choose_if_needed
from judging.models import GradedCampaign, TopicAssignment
from web.api.bodies import Body
from web.api.callers import collection_to_change
from web.api.works import WorkOut, work_out
from web.grading import pages
from web.grading.api import Qid, Why

router = Router()


class TopicIn(Body):
    """A topic; ``second`` requests a second opinion on it."""

    qid: Qid
    second: bool = False


class DeclineIn(TopicIn):
    """The reason for giving the topic back."""

    why: Why


class GradeIn(TopicIn):
    """The grade of a passage, which is identified by the ``item`` from an earlier response."""

    item: Annotated[int, Field(ge=1, le=2**53)]
    grade: Annotated[int, Field(ge=0, le=9)]


class NextOut(Schema):
    """The next step: an ``item`` to judge, the ``work`` that chooses items, or the topic's ``decision``.

    All three are empty once a second opinion is complete.
    """

    qid: str
    query: str
    item: int | None
    text: str
    judged: int
    given: int
    decision: str
    reason: str
    work: WorkOut | None


@router.post(
    "/collections/{name}/grading/{graded}/take",
    response=NextOut,
    summary="Take a topic, or give a second opinion on it; repeating the call returns the next passage",
)
def take_topic(request: HttpRequest, name: str, graded: str, asked: TopicIn) -> dict[str, Any]:
    user, found = collection_to_change(request, name, "assess", ApiToken.Scope.CAMPAIGNS)
    campaign = pages.graded_campaign_of(found, graded)
    take = assignments.take_second_opinion if asked.second else assignments.take_topic
    taken = take(assignments.topic_named(campaign, asked.qid), user)
    ring_to_choose_if_needed(taken, again=True)
    return _next_out(taken)


@router.post(
    "/collections/{name}/grading/{graded}/grade",
    response=NextOut,
    summary="Give a passage a grade, or replace its grade; returns the next passage",
)
def grade_passage(request: HttpRequest, name: str, graded: str, asked: GradeIn) -> dict[str, Any]:
    assignment = _own_assignment(request, name, graded, asked)
    item = assignment.items.filter(pk=asked.item).first()
    if item is None:
        raise Http404("There is no such passage in this topic.")
    item.assignment = assignment
    grades.give_grade(item, asked.grade)
    return _next_out(assignment)


@router.post(
    "/collections/{name}/grading/{graded}/undo",
    response=NextOut,
    summary="Undo the last grade and return its passage",
)
def undo_grade(request: HttpRequest, name: str, graded: str, asked: TopicIn) -> dict[str, Any]:
    assignment = _own_assignment(request, name, graded, asked)
    grades.undo_grade(assignment)
    return _next_out(assignment)


@router.post(
    "/collections/{name}/grading/{graded}/decline",
    response={204: None},
    summary="Decline a topic with a reason; its grades stay on record and do not count",
)
def decline_topic(request: HttpRequest, name: str, graded: str, asked: DeclineIn) -> Status[None]:
    assignment = _own_assignment(request, name, graded, asked)
    who = assignment.assessor.get_username() if assignment.assessor else ""
    assignments.end_assignment(assignment, why=asked.why, who=who)
    return Status(204, None)


def _own_assignment(request: HttpRequest, name: str, graded: str, asked: TopicIn) -> TopicAssignment:
    user, found = collection_to_change(request, name, "assess", ApiToken.Scope.CAMPAIGNS)
    campaigns = GradedCampaign.objects.filter(collection=found, name=graded)
    rows = pages.assignments_held_by(user).filter(topic__campaign__in=campaigns, topic__query__qid=asked.qid)
    held = rows.filter(second=asked.second).first()
    if held is None:
        assignments.topic_named(pages.graded_campaign_of(found, graded), asked.qid)  # refuses unknown names
        raise Http404("This topic is not yours.")
    return held


def _next_out(assignment: TopicAssignment) -> dict[str, Any]:
    """Return the next item to judge, the job that chooses it, or the topic's decision."""
    page = pages.assess_page(assignment, None)
    decision, item = page["decision"], page["item"]
    job = None if item else ring_to_choose_if_needed(assignment)
    return {
        "qid": page["topic"].query.qid,
        "query": page["topic"].query.text,
        "item": item.pk if item and not decision else None,
        "text": page["text"] if not decision else "",
        "judged": len(page["judged"]),
        "given": page["given"],
        "decision": decision.verdict if decision else "",
        "reason": decision.reason if decision else "",
        "work": work_out(job) if job else None,
    }
