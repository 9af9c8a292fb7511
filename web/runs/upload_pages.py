"""States of uploads, in a list and one by one."""

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse

from config.background.models import Job
from config.guidance import Action, restored
from pooling.files.problems import OF_THE_RUN
from pooling.intake.quotas import keys_that_failed
from pooling.intake.unknown_queries import can_leave_out
from pooling.models import (
    AddedFiles,
    Collection,
    NewCollection,
    Passage,
    PassageSource,
    Run,
    RunUpload,
    SubmissionPolicy,
)
from pooling.runs.candidate_sets import candidates_of
from pooling.teams.teams import team_of, uploads_seen
from web.common.folded_problems import fold
from web.common.job_progress import Work
from web.common.visibility import hidden_queries, opened_runs, sees_everything, without_private

UPLOADS_A_PAGE = 30
#: The number of different problems that the list shows for each file.
PROBLEMS_SHOWN = 5
#: State of an upload → its label on pages.
STATES = {
    RunUpload.State.RECEIVING: "arriving",
    RunUpload.State.WAITING: "being checked",
    RunUpload.State.CHECKED: "passed the check",
    RunUpload.State.IMPORTED: "imported",
    RunUpload.State.REFUSED: "refused",
}


def uploads_page(collection: Collection, user: Any, parameters: Any) -> dict[str, Any]:
    """Return the uploads that the person can see, newest first."""
    rows = uploads_seen(user, collection).select_related("user", "run").order_by("-pk")
    page = Paginator(rows, UPLOADS_A_PAGE).get_page(parameters.get("page"))
    waiting = [upload for upload in page.object_list if upload.state == RunUpload.State.WAITING]
    failed = keys_that_failed(waiting)
    for upload in page.object_list:
        _add_words(upload, failed=upload.job_key in failed)
        _add_problems(upload)
    moving = len(waiting) > len(failed)
    return {
        "collection": collection,
        "page": page,
        "team": None if sees_everything(user, collection) else team_of(user, collection),
        "moving": moving,
        "imported": any(upload.state == RunUpload.State.IMPORTED for upload in page.object_list),
        "importable": importable_uploads(collection, user).count(),
        "linked": _openable_run_keys(
            collection, user, [upload.run for upload in page.object_list if upload.run]
        ),
    }


def importable_uploads(collection: Collection, user: Any) -> QuerySet[RunUpload]:
    """Return the person's own files that passed a check and are not runs yet, oldest first."""
    files = RunUpload.objects.filter(collection=collection)
    imported = files.filter(run__isnull=False, sha256=OuterRef("sha256"))
    checked = files.filter(user=user, state=RunUpload.State.CHECKED)
    return checked.exclude(Exists(imported)).select_related("collection").order_by("pk")


def _openable_run_keys(collection: Collection, user: Any, runs: Sequence[Run]) -> set[int]:
    """Return the keys of the runs whose pages the person can open."""
    seen = opened_runs(collection, user).filter(pk__in=[run.pk for run in runs])
    return set(seen.values_list("pk", flat=True))


def upload_page(upload: RunUpload, user: Any) -> dict[str, Any]:
    """Return one upload, with the job that checks it. Its report omits private queries that the person cannot see."""
    hidden = hidden_queries(upload.collection, user)
    upload.report = without_private(upload.report, hidden)
    work = work_on_files(upload)
    _add_words(upload, failed=bool(work and work.failed))
    mine = upload.user_id is not None and upload.user_id == user.pk
    return {
        "collection": upload.collection,
        "upload": upload,
        "linked": _openable_run_keys(upload.collection, user, [upload.run] if upload.run else []),
        "mine": mine,
        "work": work,
        "again": reverse("web:check_again", args=[upload.collection.name, upload.pk]) if mine else "",
        "can_leave_out": mine and can_leave_out(upload),
        "can_be_fixed": _can_be_fixed(upload),
        "policy": SubmissionPolicy.objects.filter(collection=upload.collection).first(),
    }


def _can_be_fixed(upload: RunUpload) -> bool:
    """Return whether a corrected file can help.

    It cannot if a problem concerns the run itself or must be fixed on another page.
    """
    steps = [restored(one.get("next_step", "")) for one in upload.problems]
    elsewhere = any(isinstance(part, Action) for step in steps for part in step.parts)
    return not elsewhere and not OF_THE_RUN & upload.problem_counts.keys()


def making_page(wanted: NewCollection) -> dict[str, Any]:
    """Return the data of the page about a collection that is being created or was refused."""
    return {
        "wanted": wanted,
        "work": work_on_files(wanted),
        "again": reverse("web:make_again", args=[wanted.pk]),
        "can_leave_out": can_leave_out(wanted),
    }


def added_page(added: AddedFiles, user: Any) -> dict[str, Any]:
    """Return the data of the page about files that are being added, were added, or were refused."""
    mine = added.user_id is not None and added.user_id == user.pk
    return {
        "collection": added.collection,
        "added": added,
        "mine": mine,
        "work": work_on_files(added),
        "again": reverse("web:read_again", args=[added.collection.name, added.pk]) if mine else "",
        "can_leave_out": mine and can_leave_out(added),
    }


def adding_page(collection: Collection) -> dict[str, Any]:
    """Return counts of the collection's passage files and texts, and the latest added files."""
    texts = Passage.objects.filter(collection=collection)
    return {
        "collection": collection,
        "sources": PassageSource.objects.filter(collection=collection).count(),
        "without_text": texts.filter(text__isnull=True).count(),
        "runs": Run.objects.filter(collection=collection).exists(),
        "candidates": candidates_of(collection),
        "before": list(
            AddedFiles.objects.filter(collection=collection).select_related("user").order_by("-pk")[:10]
        ),
    }


def work_on_files(row: RunUpload | NewCollection | AddedFiles) -> Work | None:
    """Return the job that reads or checks the files; None unless they are waiting for it."""
    if row.state != RunUpload.State.WAITING:  # all three classes use the same word
        return None
    job = Job.objects.filter(key=row.job_key).order_by("-pk").first()
    return Work(None if job is not None and job.state == Job.State.DONE else job)


def _add_words(upload: RunUpload, *, failed: bool) -> None:
    """Set the upload's label (``words``) and number of problems (``total``). ``failed``: whether its check failed."""
    upload.words = "check failed" if failed else STATES[RunUpload.State(upload.state)]  # type: ignore[attr-defined]
    upload.total = sum(upload.problem_counts.values()) or len(upload.problems)  # type: ignore[attr-defined]


def _add_problems(upload: RunUpload) -> None:
    """Set the problem groups that the list shows (``folded``) and the number of the rest (``others``).

    Call ``_add_words`` first.
    """
    upload.folded = fold(upload.problems, upload.problem_counts)[:PROBLEMS_SHOWN]  # type: ignore[attr-defined]
    upload.others = upload.total - sum(same.count for same in upload.folded)  # type: ignore[attr-defined]
