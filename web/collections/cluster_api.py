"""API of near-duplicates: find them in the background, import or remove them."""

import shutil
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from django.conf import settings
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from ninja import Field, Router, Schema, Status
from ninja.errors import HttpError

from accounts.models import ApiToken
from judging.campaign.duplicate_classes import import_clusters, remove_clusters
from judging.jobs import ring_to_cluster
from pooling.intake.run_transfers import incoming
from pooling.models import ClusterSet, Collection
from pooling.passages.clusters import cluster_set_of
from pooling.rules.near_duplicates import Likeness
from web.api.bodies import Body
from web.api.callers import collection_to_change, reader
from web.api.parts import FILE, length_of
from web.api.works import WorkOut, work_out
from web.collections.cluster_pages import effects_on_pools, work_on_clusters
from web.common.access import collection_for

router = Router()


class LargeClass(Schema):
    """One of the largest classes of near-duplicates, with some of its passages (``others``)."""

    canonical: str
    size: int
    others: list[str]


class EffectOut(Schema):
    """The effect of near-duplicates on a pool: the numbers of classes and pairs to judge.

    Fields that end in ``_by_text`` are the numbers that result if only passages with equal texts form classes.
    """

    pool: str = Field(alias="pool.name")
    passages: int
    classes_by_text: int = Field(alias="classes.0")
    classes: int = Field(alias="classes.1")
    pairs_by_text: int = Field(alias="pairs.0")
    pairs: int = Field(alias="pairs.1")


class NearDuplicatesOut(Schema):
    """A collection's near-duplicates; ``method`` is null if there are none. ``sizes``: size → number of classes.

    ``pools`` has the five newest pools. ``work`` is the latest job that searched for near-duplicates.
    """

    method: str | None
    parameters: dict[str, Any] = {}
    texts: int | None = None
    classes: int = 0
    members: int = 0
    sha256: str = ""
    sizes: dict[int, int] = {}
    largest: list[LargeClass] = []
    pools: list[EffectOut] = []
    made_by: str = ""
    created_at: datetime | None = None
    work: WorkOut | None = None


class LikenessIn(Body):
    """The minimum similarity of near-duplicates, and the number of words in a shingle."""

    threshold: Annotated[float, Field(ge=0.5, le=1)] = Likeness().threshold
    shingle: Annotated[int, Field(ge=1, le=20)] = Likeness().shingle


@router.get(
    "/collections/{name}/near-duplicates",
    response=NearDuplicatesOut,
    summary="Get the number and sizes of near-duplicate classes, and their effect on pools",
)
def read_near_duplicates(request: HttpRequest, name: str) -> dict[str, Any]:
    found = collection_for(reader(request), name, "see everything")
    return _near_duplicates_out(found)


@router.post(
    "/collections/{name}/near-duplicates",
    response={202: WorkOut},
    summary="Find near-duplicates in the background, before a campaign is created from a pool or judging begins",
)
def find_near_duplicates(request: HttpRequest, name: str, asked: LikenessIn) -> Status[dict[str, Any]]:
    user, found = collection_to_change(request, name, "add files", ApiToken.Scope.RUNS)
    job = ring_to_cluster(found, Likeness(asked.threshold, asked.shingle), who=user.get_username())
    return Status(202, work_out(job))


@router.put(
    "/collections/{name}/near-duplicates",
    response=NearDuplicatesOut,
    openapi_extra=FILE,
    summary="Import classes from a file: a class and a passage on each line, or isoboroff/dedupe's output",
)
def import_near_duplicates(request: HttpRequest, name: str) -> dict[str, Any]:
    user, found = collection_to_change(request, name, "add files", ApiToken.Scope.RUNS)
    if length_of(request) > settings.MAX_UPLOAD_BYTES:
        raise HttpError(413, f"The file is larger than {filesizeformat(settings.MAX_UPLOAD_BYTES)}.")
    with tempfile.NamedTemporaryFile(dir=incoming()) as file:
        shutil.copyfileobj(request, file)
        file.flush()
        import_clusters(found, Path(file.name), name="the file", who=user.get_username())
    return _near_duplicates_out(found)


@router.delete(
    "/collections/{name}/near-duplicates",
    response=NearDuplicatesOut,
    summary="Remove the near-duplicates, so that only equal texts are judged once",
)
def remove_near_duplicates(request: HttpRequest, name: str) -> dict[str, Any]:
    user, found = collection_to_change(request, name, "add files", ApiToken.Scope.RUNS)
    remove_clusters(found, who=user.get_username())
    return _near_duplicates_out(found)


def _near_duplicates_out(collection: Collection) -> dict[str, Any]:
    stored, work = cluster_set_of(collection), work_on_clusters(collection)
    told = {"method": None, "work": work and work_out(work.job)}
    return told if stored is None else told | _cluster_set_out(stored)


def _cluster_set_out(stored: ClusterSet) -> dict[str, Any]:
    names = ("method", "parameters", "texts", "classes", "members", "sha256", "made_by", "created_at")
    pools = effects_on_pools(stored.collection)
    return {name: getattr(stored, name) for name in names} | stored.summary | {"pools": pools}
