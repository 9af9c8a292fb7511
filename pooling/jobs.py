from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet

from config.background.job_kinds import Progress, job_kind
from config.background.models import Job
from config.background.services import start, start_for
from pooling.collections.name_rules import check_name
from pooling.errors import AlreadyImported, PoolRefused
from pooling.intake.added_files import add_waiting_files
from pooling.intake.new_collections import make_requested_collection
from pooling.intake.old_uploads import forget_old_uploads
from pooling.intake.upload_imports import check_upload as check
from pooling.models import AddedFiles, Collection, NewCollection, Pool, QrelSet, Run, RunUpload
from pooling.pools import pools
from pooling.runs.embargoes import any_to_release, release_after_embargoes

BUILD_POOL = "pooling.build_pool"
#: The result of a job whose files were deleted before it read them.
DROPPED = {"state": "dropped"}


@job_kind("pooling.check_upload", words="checking a run file")
def check_upload_job(*, progress: Progress, upload_id: int) -> dict[str, Any]:
    """Check an uploaded run file, and import it unless only a check was requested."""
    upload = RunUpload.objects.select_related("collection").filter(pk=upload_id).first()
    if upload is None:
        return DROPPED
    return {"state": str(check(upload, progress=progress).state)}


@job_kind("pooling.make_collection", words="making a collection")
def make_collection_job(*, progress: Progress, new_id: int) -> dict[str, Any]:
    """Create a collection from uploaded files."""
    wanted = NewCollection.objects.select_related("user", "collection").filter(pk=new_id).first()
    if wanted is None:
        return DROPPED
    return {"state": str(make_requested_collection(wanted, progress=progress).state)}


@job_kind("pooling.add_files", words="adding files")
def add_files_job(*, progress: Progress, added_id: int) -> dict[str, Any]:
    """Add uploaded labels, candidates and passage files, and fetch missing texts."""
    wanted = AddedFiles.objects.select_related("user", "collection").filter(pk=added_id).first()
    if wanted is None:
        return DROPPED
    return {"state": str(add_waiting_files(wanted, progress=progress).state)}


@job_kind("pooling.forget_uploads")
def forget_uploads(**_: Any) -> dict[str, Any]:
    """Delete uploads that are no longer kept. Of refused uploads, delete only the files."""
    return {"dropped": forget_old_uploads()}


@job_kind("pooling.release_after_embargoes", wanted=any_to_release)
def release_runs_after_embargoes(**_: Any) -> dict[str, Any]:
    return {"released": release_after_embargoes()}


def ring_for_upload(upload: RunUpload) -> Job:
    return start("pooling.check_upload", key=upload.job_key, arguments={"upload_id": upload.pk})


def ring_for_collection(wanted: NewCollection) -> Job:
    return start("pooling.make_collection", key=wanted.job_key, arguments={"new_id": wanted.pk})


def ring_for_files(wanted: AddedFiles) -> Job:
    return start("pooling.add_files", key=wanted.job_key, arguments={"added_id": wanted.pk})


def ring_for_pool(
    *,
    collection: Collection,
    name: str,
    runs: Sequence[Run],
    qrel_set: QrelSet | None,
    depth: int,
    choice: pools.Choice,
    who: str = "",
) -> Job:
    """Start a job that builds a pool, and return it. Repeating the request returns the same job.

    Raises PoolRefused for problems that can be found at once, AlreadyImported if another pool has the name or is
    being built under it, and TooMuchAsked.
    """
    check_name(name)
    pools.check_choice(choice, depth)
    if not runs and qrel_set is None:
        raise PoolRefused("A pool needs runs or a qrel set.", "Choose some.")
    arguments = {
        "collection_id": collection.pk,
        "name": name,
        "runs": sorted(run.pk for run in runs),
        "qrel_set_id": qrel_set.pk if qrel_set else None,
        "depth": depth,
        "choice": asdict(choice),
        "who": who,
    }
    key = f"{BUILD_POOL}:{name}"
    if Pool.objects.filter(name=name).exists():
        before = Job.objects.filter(key=key, state=Job.State.DONE).order_by("-pk").first()
        if before is not None and before.arguments == arguments:
            return before
        raise pools.pool_name_taken(name)
    job = start_for(BUILD_POOL, key=key, arguments=arguments)
    if job.arguments != arguments:
        raise AlreadyImported(f"Another pool called {name!r} is being built.", "Choose another name.")
    return job


@job_kind(BUILD_POOL, words="building a pool")
def build_pool_job(
    *,
    progress: Progress,
    collection_id: int,
    name: str,
    runs: list[int],
    qrel_set_id: int | None,
    depth: int,
    choice: dict[str, Any],
    who: str = "",
) -> dict[str, Any]:
    """Build a pool, and fetch the texts it needs. Do nothing if an earlier attempt already built the pool."""
    chosen = pools.Choice(**choice)
    there = Pool.objects.filter(
        name=name, collection=collection_id, qrel_set=qrel_set_id, depth=depth, **chosen.stated
    ).first()
    if there and set(there.pool_runs.values_list("run", flat=True)) == set(runs):
        return {"pool": name}
    pools.build_pool(
        collection=Collection.objects.get(pk=collection_id),
        name=name,
        runs=list(Run.objects.filter(collection=collection_id, pk__in=runs).order_by("run_tag")),
        qrel_set=None if qrel_set_id is None else QrelSet.objects.get(pk=qrel_set_id),
        depth=depth,
        choice=chosen,
        who=who,
        progress=progress,
    )
    return {"pool": name}


def pool_work(collection: Collection) -> QuerySet[Job]:
    return Job.objects.filter(kind=BUILD_POOL, arguments__collection_id=collection.pk)
