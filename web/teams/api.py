from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status
from pydantic import AwareDatetime

from accounts.models import ApiToken
from pooling.models import Round
from pooling.teams.rounds import drop_round, set_round
from pooling.teams.teams import make_team
from web.api.bodies import Body
from web.api.callers import collection_to_change, reader
from web.api.works import Text
from web.common.access import collection_for
from web.teams.pages import teams_page

router = Router()


class RoundOut(Schema):
    """A round. A run is in time if its last byte arrived from ``opens_at`` to just before ``closes_at``."""

    name: str
    opens_at: datetime
    closes_at: datetime
    most_runs: int
    most_baselines: int
    priorities: bool


class RoundIn(Body):
    """A round; times have a zone, as in 2026-12-01T23:59:00-12:00."""

    opens_at: AwareDatetime
    closes_at: AwareDatetime
    most_runs: Annotated[int, Field(ge=1, le=1000)]
    most_baselines: Annotated[int, Field(ge=0, le=1000)] = 0
    priorities: bool = False


class TeamOut(Schema):
    """A team, and the number of its submissions that the caller can see: in total, and by round."""

    name: str
    affiliation: str
    runs: int
    by_round: dict[str, int]


class TeamIn(Body):
    """A new team; its name cannot be changed."""

    name: Annotated[Text, Field(min_length=1, max_length=200)]
    affiliation: Annotated[Text, Field(max_length=200)] = ""


@router.get(
    "/collections/{name}/rounds", response=list[RoundOut], summary="List the rounds, the latest first"
)
def list_rounds(request: HttpRequest, name: str) -> Any:
    found = collection_for(reader(request), name)
    return Round.objects.filter(collection=found).order_by("-opens_at", "pk")


@router.put(
    "/collections/{name}/rounds/{round_name}",
    response=RoundOut,
    summary="Plan a round, or change the round with this name",
)
def put_round(request: HttpRequest, name: str, round_name: str, planned: RoundIn) -> Round:
    user, found = collection_to_change(request, name, "manage teams", ApiToken.Scope.RUNS)
    return set_round(collection=found, name=round_name, who=user.get_username(), **planned.dict())


@router.delete(
    "/collections/{name}/rounds/{round_name}",
    response={204: None},
    summary="Delete a round in which nothing was submitted",
)
def delete_round(request: HttpRequest, name: str, round_name: str) -> Status[None]:
    user, found = collection_to_change(request, name, "manage teams", ApiToken.Scope.RUNS)
    planned = get_object_or_404(Round.objects.select_related("collection"), collection=found, name=round_name)
    drop_round(planned=planned, who=user.get_username())
    return Status(204, None)


@router.get("/collections/{name}/teams", response=list[TeamOut], summary="List teams and their submissions")
def list_teams(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    user = reader(request)
    page = teams_page(collection_for(user, name), user)
    names = [one.name for one in page["rounds"]]
    return [
        {
            "name": line.name,
            "affiliation": line.affiliation,
            "runs": line.runs,
            "by_round": dict(zip(names, counts, strict=True)),
        }
        for line, counts in page["lines"]
    ]


@router.post("/collections/{name}/teams", response={201: TeamOut}, summary="Add a team")
def add_team(request: HttpRequest, name: str, asked: TeamIn) -> Status[dict[str, Any]]:
    user, found = collection_to_change(request, name, "manage teams", ApiToken.Scope.PEOPLE)
    made = make_team(
        collection=found, name=asked.name, affiliation=asked.affiliation, who=user.get_username()
    )
    return Status(201, {"name": made.name, "affiliation": made.affiliation, "runs": 0, "by_round": {}})
