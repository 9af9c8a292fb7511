"""A board's rules: its submission policy, and its public and private queries."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status
from ninja.errors import HttpError

from accounts.models import ApiToken
from pooling.labels import query_splits
from pooling.labels.document_labels import MappedLabels, before_last, map_labels
from pooling.labels.withheld_labels import decimals_warnings, withhold_labels
from pooling.models import Collection, QrelSet, Query, QuerySplit, SubmissionPolicy
from pooling.teams.submission_policies import MOST_DECIMALS, drop_policy, policy_of, set_policy
from web.api.bodies import Body, DryRun
from web.api.caller_guidance import guidance_for
from web.api.callers import collection_to_change, reader
from web.api.works import Text
from web.boards.forms import LONGEST_WHY
from web.common.access import collection_for
from web.common.label_notices import label_notices

router = Router()
#: A run field or run detail; GET /collections/{name}/run-fields lists them.
DetailName = Annotated[str, Field(max_length=40)]
Why = Annotated[Text, Field(max_length=LONGEST_WHY)]


class PolicyIn(Body):
    """A board's rules for submissions, and the reason for a change, logged with the caller's name.

    The team is always required, because runs are counted by team. Without ``public_decimals``, values under withheld
    labels are rounded so that they do not reveal single queries. A higher number of decimals is saved, but the reply
    warns and gives the safe number. Under labels that are not withheld, analyses and per-query values keep all
    decimals.
    """

    most_runs: Annotated[int, Field(ge=1, le=10_000)]
    period_days: Annotated[int, Field(ge=1, le=3650)]
    most_variants: Annotated[int, Field(ge=0, le=10_000)] = 1
    required: Annotated[list[DetailName], Field(max_length=40)] = ["team", "description", "family"]
    longest_embargo_days: Annotated[int, Field(ge=0, le=3650)] = 0
    release_after: Literal["", "scores", "public"] = ""
    teams_see_scores: bool = False
    public_list: Literal["", "counts", "all"] = ""
    public_decimals: Annotated[int, Field(ge=0, le=MOST_DECIMALS)] | None = None
    per_query_values: bool = False
    why: Why = ""


class PolicyOut(Schema):
    """The current rules."""

    most_runs: int
    period_days: int
    most_variants: int
    required: list[str]
    longest_embargo_days: int
    release_after: str
    teams_see_scores: bool
    public_list: str
    public_decimals: int | None
    per_query_values: bool


class PolicySaved(PolicyOut):
    """The saved rules.

    ``warnings`` lists saved settings that can reveal withheld labels, with safe alternatives.
    """

    warnings: list[str]

    @staticmethod
    def resolve_warnings(policy: SubmissionPolicy) -> list[str]:
        """Return warnings about what the saved number of decimals can reveal."""
        return decimals_warnings(policy)


class QrelSetIn(Body):
    """Whether to withhold the labels, so that only scores are published, and the reason.

    The reason is logged with the caller's name.
    """

    withheld: bool
    why: Why = ""


class QrelSetOut(Schema):
    """A qrel set without its labels. Relevant means a grade of at least ``min_grade``.

    The leaderboard uses the ``default`` set (the collection's ``board_labels``) unless a request names another.
    """

    name: str
    kind: str
    min_grade: int
    withheld: bool
    default: bool
    outdated: Annotated[
        str | None,
        Field(
            description="Notice on labels of a graded campaign if grades behind them were withdrawn or changed "
            "since; otherwise null. Members of the collection get numbers and the next step."
        ),
    ]


class DocumentLabelsIn(Body):
    """A new qrel set of documents, made from labels of passages.

    Relevant means a grade of at least ``min_grade``. ``documents`` maps passages to documents. Without it, the
    passage id is cut at the last occurrence of ``before``; the part in front of it is the document's id.
    """

    set: Annotated[Text, Field(min_length=1, max_length=80)]
    before: Annotated[Text, Field(max_length=20)] = ""
    documents: dict[Text, Text] = {}
    min_grade: Annotated[int, Field(ge=1, le=99)] = 1


class DocumentLabelsOut(Schema):
    """The new qrel set. ``by_near_duplicates``: the number of labels that come only from near-duplicates."""

    set: str = Field(alias="qrel_set.name")
    labels: int
    relevant: int
    by_near_duplicates: int = Field(alias="duplicates")
    withheld: bool = Field(alias="qrel_set.withheld")


class SplitIn(Body):
    """The share of queries to draw with a seed, or the qids to make private. ``dry_run`` only returns the outcome."""

    share: Annotated[float, Field(gt=0, lt=1)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**31)] = 1
    qids: Annotated[
        list[Annotated[Text, Field(min_length=1, max_length=200)]], Field(max_length=100_000)
    ] = []
    dry_run: DryRun = False


class SplitOut(Schema):
    """Public and private queries; ``private_qids`` are sorted. ``done``: the split is stored and final."""

    done: bool
    public: int
    private: int
    private_qids: list[str]
    share: float | None
    seed: int | None
    decided_at: datetime | None


@router.get("/collections/{name}/policy", response=PolicyOut, summary="Get the submission policy")
def read_policy(request: HttpRequest, name: str) -> SubmissionPolicy:
    found = policy_of(collection_for(reader(request), name))
    if found is None:
        raise Http404("This board has no submission policy.")
    return found


@router.put(
    "/collections/{name}/policy",
    response=PolicySaved,
    summary="Set or replace the submission policy; existing runs stay",
)
def put_policy(request: HttpRequest, name: str, asked: PolicyIn) -> SubmissionPolicy:
    user, found = collection_to_change(request, name, "set policy", ApiToken.Scope.RUNS)
    return set_policy(collection=found, who=user.get_username(), **asked.dict())


@router.delete("/collections/{name}/policy", response={204: None}, summary="Delete the submission policy")
def delete_policy(request: HttpRequest, name: str, why: Why = "") -> Status[None]:
    user, found = collection_to_change(request, name, "set policy", ApiToken.Scope.RUNS)
    drop_policy(collection=found, who=user.get_username(), why=why)
    return Status(204, None)


@router.get(
    "/collections/{name}/qrel-sets",
    response=list[QrelSetOut],
    summary="List qrel sets by name, and which of them are withheld",
)
def list_qrel_sets(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    found = collection_for(reader(request), name)
    return _qrel_sets_out(request, found, found.qrel_sets.order_by("name"))


def _qrel_sets_out(request: Any, collection: Collection, sets: Iterable[QrelSet]) -> list[dict[str, Any]]:
    default, told = collection.default_labels(), label_notices(collection, request.auth.user)
    said = guidance_for(request)
    same = ("name", "kind", "min_grade", "withheld")
    return [
        {name: getattr(one, name) for name in same}
        | {"default": one == default, "outdated": said(told[one.pk].whole) if one.pk in told else None}
        for one in sets
    ]


@router.patch(
    "/collections/{name}/qrel-sets/{labels}",
    response=QrelSetOut,
    summary="Withhold labels, or publish them; repeating the call changes nothing",
)
def change_qrel_set(request: HttpRequest, name: str, labels: str, asked: QrelSetIn) -> dict[str, Any]:
    user, found = collection_to_change(request, name, "set policy", ApiToken.Scope.RUNS)
    qrel_set = get_object_or_404(QrelSet, collection=found, name=labels)
    withhold_labels(qrel_set, withheld=asked.withheld, who=user.get_username(), why=asked.why)
    return _qrel_sets_out(request, found, [qrel_set])[0]


@router.post(
    "/collections/{name}/qrel-sets/{labels}/documents",
    response={201: DocumentLabelsOut},
    summary="Create document labels from passage labels",
)
def make_document_labels(
    request: HttpRequest, name: str, labels: str, asked: DocumentLabelsIn
) -> Status[MappedLabels]:
    _, found = collection_to_change(request, name, "add files", ApiToken.Scope.RUNS)
    if bool(asked.before) == bool(asked.documents):
        raise HttpError(422, "Pass exactly one of `before` and `documents`.")
    made = map_labels(
        qrel_set=get_object_or_404(QrelSet, collection=found, name=labels),
        document_of=asked.documents.get if asked.documents else before_last(asked.before),
        set_name=asked.set,
        min_grade=asked.min_grade,
    )
    return Status(201, made)


@router.get(
    "/collections/{name}/query-split", response=SplitOut, summary="List the private queries (members)"
)
def read_split(request: HttpRequest, name: str) -> dict[str, Any]:
    found = collection_for(reader(request), name, "see everything")
    split = QuerySplit.objects.filter(collection=found).first()
    return _split_out(found, query_splits.private_qids(found), split)


@router.post(
    "/collections/{name}/query-split",
    response=SplitOut,
    summary="Make some queries private permanently; repeating the call changes nothing",
)
def make_split(request: HttpRequest, name: str, asked: SplitIn) -> dict[str, Any]:
    user, found = collection_to_change(request, name, "split queries", ApiToken.Scope.RUNS)
    parted = query_splits.plan_split(found, qids=asked.qids, share=asked.share, seed=asked.seed)
    split = None if asked.dry_run else query_splits.keep_split(found, parted, who=user.get_username())
    return _split_out(found, parted.qids, split) | {"share": parted.share, "seed": parted.seed}


def _split_out(collection: Collection, qids: Any, split: QuerySplit | None) -> dict[str, Any]:
    return {
        "done": split is not None,
        "public": Query.objects.filter(collection=collection).count() - len(qids),
        "private": len(qids),
        "private_qids": sorted(qids),
        "share": split.share if split else None,
        "seed": split.seed if split else None,
        "decided_at": split.created_at if split else None,
    }
