"""API of runs: their descriptions, release levels and details, and tables that describe many."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Router, Schema

from accounts.models import ApiToken
from leaderboard.scoring.measure_names import is_measure
from pooling.collections.lookups import runs_tagged
from pooling.collections.members import may
from pooling.models import Collection, Run
from pooling.runs.run_descriptions import describe_run, release_runs
from pooling.runs.run_metadata import MOST_BYTES, import_run_metadata
from pooling.teams.run_fields import MOST_OWN, asked_details, known_details, set_run_fields
from pooling.teams.submission_policies import policy_of
from pooling.teams.teams import own_run
from web.api.bodies import Body, DryRun
from web.api.callers import actor, collection_to_change, reader
from web.api.works import Text
from web.common.access import collection_for, require
from web.common.visibility import (
    as_shown,
    hidden_queries,
    opened_runs,
    own_team,
    sees_everything,
    without_queries,
)

router = Router()
Release = Literal["public", "scores", "private"]


class RunOut(Schema):
    """A run and its description; ``report`` has the results of the check.

    While a run is anonymous, ``sha256`` is empty for everybody but its team and members.
    """

    id: int
    run_tag: str
    format: str
    order: str
    sha256: str
    team: str
    description: str
    paper: str
    code: str
    run_type: str
    details: dict[str, Any]
    submitted_on: date | None
    baseline: bool
    release: str
    anonymous_until: date | None
    report: dict[str, Any]
    created_at: datetime

    @staticmethod
    def resolve_sha256(run: Run) -> str:
        """Return the hash of the file; empty while its authors are hidden."""
        return run.shown_sha256


class RunPage(Schema):
    """A page of runs, sorted by tag; ``count`` is the number of all matches."""

    count: int
    runs: list[RunOut]


class AboutRun(Body):
    """Facts about a run other than its details."""

    team: Annotated[str, Field(max_length=200)] = ""
    description: Annotated[str, Field(max_length=10_000)] = ""
    paper: Annotated[str, Field(max_length=500)] = ""
    code: Annotated[str, Field(max_length=500)] = ""
    submitted_on: date | None = None
    baseline: bool = False
    release: Release = "private"
    anonymous_until: date | None = None


class RunChanges(AboutRun):
    """A run's description; omitted fields stay the same.

    ``details`` are changed one by one: null or "" removes a detail. GET /collections/{name}/run-fields explains them.
    ``run_type`` is the former name of the detail ``family``.
    """

    details: Annotated[dict[str, Any], Field(max_length=40)] = {}
    run_type: Annotated[str, Field(max_length=100)] = ""

    def changes(self) -> dict[str, Any]:
        said = self.dict(exclude_unset=True)
        if "run_type" in said:
            said["details"] = {"family": said.pop("run_type")} | said.get("details", {})
        return said


class ReleaseIn(Body):
    """Runs by tag, and the release level for all of them."""

    runs: Annotated[
        list[Annotated[Text, Field(min_length=1, max_length=200)]], Field(min_length=1, max_length=4000)
    ]
    release: Release


class Released(Schema):
    """The release level, and the tags of the runs whose level changed."""

    release: Release
    changed: list[str]


class UploadOptions(AboutRun):
    """Options for reading a sent file, and the run's description.

    ``detail`` can be repeated, each as NAME=VALUE, such as ``detail=subtask=rerank&detail=dense=no``. GET
    /collections/{name}/run-fields explains the names. ``run_type`` is the former name of ``family``.
    """

    detail: Annotated[list[Annotated[str, Field(max_length=2_100)]], Field(max_length=40)] = []
    run_type: Annotated[str, Field(max_length=100)] = ""

    file_name: Annotated[str, Field(max_length=200)] = "run.txt"
    check_only: bool = False
    run_tag: Annotated[str, Field(max_length=200)] = ""
    variant_of: Annotated[str, Field(max_length=200)] = ""
    order: Literal["", "score", "rank"] = ""
    skip_unknown: bool = False


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
    """A field that the collection defines; without ``choices``, it is free text."""

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
    """The effects of a table that describes runs, by run tag.

    ``described``: runs whose description changed. ``changes``: new values of changed and announced runs.
    """

    described: list[str]
    announced: list[str]
    unchanged: list[str]
    changes: dict[str, dict[str, Any]]


@router.get(
    "/collections/{name}/runs", response=RunPage, summary="List the runs that the caller can see, by tag"
)
def list_runs(
    request: HttpRequest,
    name: str,
    run_tag: str = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> dict[str, Any]:
    user = reader(request)
    found = collection_for(user, name)
    rows = opened_runs(found, user)
    rows = rows.filter(run_tag=run_tag) if run_tag else rows
    return {"count": rows.count(), "runs": _runs_as_seen(rows[offset : offset + limit], found, user)}


@router.get("/collections/{name}/runs/{int:key}", response=RunOut, summary="Get a run")
def read_run(request: HttpRequest, name: str, key: int) -> Run:
    user = reader(request)
    found = collection_for(user, name)
    run = get_object_or_404(opened_runs(found, user), pk=key)
    return _runs_as_seen([run], found, user)[0]


def _runs_as_seen(runs: Iterable[Run], collection: Collection, user: Any) -> list[Run]:
    everything, hidden = sees_everything(user, collection), hidden_queries(collection, user)
    team = own_team(user, collection)
    return [without_queries(as_shown(run, everything, team), hidden) for run in runs]


@router.patch(
    "/collections/{name}/runs/{int:key}",
    response=RunOut,
    summary="Edit a run's description (owners, maintainers and the run's team)",
)
def edit_run(request: HttpRequest, name: str, key: int, changes: RunChanges) -> Run:
    user = actor(request, ApiToken.Scope.RUNS)
    found = collection_for(user, name)
    own = None if may(user, "edit run", found) else own_run(user, found, key)
    if own is not None:
        changed = describe_run(run=own, changes=changes.changes(), who=user.get_username(), by_team=True)
        return without_queries(changed, hidden_queries(found, user))
    require(user, "edit run", found)
    run = get_object_or_404(opened_runs(found, user).select_related("collection"), pk=key)
    return describe_run(run=run, changes=changes.changes(), who=user.get_username())


@router.post(
    "/collections/{name}/runs/release",
    response=Released,
    summary="Set the release level of several runs, all or none",
)
def release_several(request: HttpRequest, name: str, asked: ReleaseIn) -> dict[str, Any]:
    user, found = collection_to_change(request, name, "edit run", ApiToken.Scope.RUNS)
    meant = runs_tagged(found, asked.runs)
    changed = release_runs(runs=meant, release=asked.release, who=user.get_username())
    return {"release": asked.release, "changed": [run.run_tag for run in changed]}


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
    same = ("name", "label", "definition", "form", "choices", "unit")
    return [
        {field: getattr(one, field) for field in same}
        | {"asked": one.name in asked, "required": one.name in required}
        for one in known_details(collection).values()
    ]
