"""API of the details of runs: the details that a collection requests, and tables that describe many runs."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Router, Schema

from accounts.models import ApiToken
from leaderboard.scoring.measure_names import is_measure
from pooling.run_details import Detail
from pooling.services.run_fields import MOST_OWN, asked_details, known_details, set_run_fields
from pooling.services.run_metadata import MOST_BYTES, import_run_metadata
from pooling.services.submission_policies import policy_of
from web.api.bodies import Body, DryRun
from web.api.callers import collection_to_change, reader
from web.api.works import Text
from web.common.access import collection_for

router = Router()


class RunFieldOut(Schema):
    """A detail of a run: its definition, how it is written, and whether the collection asks for or requires it."""

    name: str
    label: str
    definition: str
    form: str
    choices: dict[str, str]
    unit: str
    asked: bool
    required: bool


class OwnField(Body):
    """A field of the collection's own; without ``choices``, free text."""

    name: Annotated[Text, Field(max_length=40)]
    label: Annotated[Text, Field(max_length=60)] = ""
    definition: Annotated[Text, Field(max_length=500)] = ""
    choices: Annotated[list[Annotated[Text, Field(max_length=60)]], Field(max_length=50)] = []


class RunFieldsIn(Body):
    """The details to ask for, by name, and the collection's own fields."""

    asked: Annotated[list[Annotated[Text, Field(max_length=40)]], Field(max_length=60)]
    own: Annotated[list[OwnField], Field(max_length=MOST_OWN)] = []


class RunTableIn(Body):
    """A table (TSV or CSV with a header) that describes runs. ``dry_run`` checks it and changes nothing."""

    table: Annotated[str, Field(max_length=MOST_BYTES)]
    name: Annotated[Text, Field(max_length=200)] = "the table"
    dry_run: DryRun = False


class RunTableOut(Schema):
    """Tags of the runs whose description changed, of announced runs, and of unchanged runs.

    ``changes``: the new values of the former two, by tag.
    """

    described: list[str]
    announced: list[str]
    unchanged: list[str]
    changes: dict[str, dict[str, Any]]


@router.get("/collections/{name}/run-fields", response=list[RunFieldOut], summary="List the details of runs")
def read_run_fields(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    return _details_out(collection_for(reader(request), name))


@router.put(
    "/collections/{name}/run-fields",
    response=list[RunFieldOut],
    summary="Choose the details asked for each run, and define own fields",
)
def put_run_fields(request: HttpRequest, name: str, asked: RunFieldsIn) -> list[dict[str, Any]]:
    user, found = collection_to_change(request, name, "describe collection", ApiToken.Scope.RUNS)
    own = [one.dict() for one in asked.own]
    return _details_out(set_run_fields(collection=found, asked=asked.asked, own=own, who=user.get_username()))


@router.post(
    "/collections/{name}/run-metadata",
    response=RunTableOut,
    summary="Describe many runs with a table; runs without a file are announced",
)
def describe_runs(request: HttpRequest, name: str, sent: RunTableIn) -> Any:
    user, found = collection_to_change(request, name, "edit run", ApiToken.Scope.RUNS)
    return import_run_metadata(
        collection=found,
        text=sent.table,
        name=sent.name,
        is_measure=is_measure,
        who=user.get_username(),
        dry_run=sent.dry_run,
    )


def _details_out(collection: Any) -> list[dict[str, Any]]:
    asked, policy = asked_details(collection), policy_of(collection)
    required = set(policy.required) if policy else set()

    def told(one: Detail) -> dict[str, Any]:
        return {
            "name": one.name,
            "label": one.label,
            "definition": one.definition,
            "form": str(one.form),
            "choices": dict(one.choices),
            "unit": one.unit,
            "asked": one.name in asked,
            "required": one.name in required,
        }

    return [told(one) for one in known_details(collection).values()]
