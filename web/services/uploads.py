"""What became of files that were sent: in a list, and one by one."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator

from config.background.models import Job
from pooling.jobs import adding_key, check_key, making_key
from pooling.models import (
    AddedFiles,
    Collection,
    NewCollection,
    Passage,
    PassageSource,
    RunUpload,
    SubmissionPolicy,
)

UPLOADS_A_PAGE = 30
#: How states are said.
STATES = {
    RunUpload.State.RECEIVING: "arriving",
    RunUpload.State.WAITING: "being checked",
    RunUpload.State.CHECKED: "passed the check",
    RunUpload.State.IMPORTED: "imported",
    RunUpload.State.REFUSED: "refused",
}


def uploads_page(collection: Collection, parameters: Any) -> dict[str, Any]:
    """The collection's uploads, the newest first."""
    rows = RunUpload.objects.filter(collection=collection).select_related("user", "run").order_by("-pk")
    page = Paginator(rows, UPLOADS_A_PAGE).get_page(parameters.get("page"))
    for upload in page.object_list:
        _dress(upload)
    moving = any(upload.state == RunUpload.State.WAITING for upload in page.object_list)
    return {"collection": collection, "page": page, "moving": moving}


def upload_page(upload: RunUpload) -> dict[str, Any]:
    """One upload, with the job that checks it."""
    _dress(upload)
    listed = len(upload.problems)
    return {
        "collection": upload.collection,
        "upload": upload,
        "job": _job(check_key(upload)) if upload.state == RunUpload.State.WAITING else None,
        "more": sum(upload.problem_counts.values()) - listed if upload.problem_counts else 0,
        "policy": SubmissionPolicy.objects.filter(collection=upload.collection).first(),
    }


def making_page(wanted: NewCollection) -> dict[str, Any]:
    """A collection that is being made, or why it was not."""
    listed = len(wanted.problems)
    waiting = wanted.state == NewCollection.State.WAITING
    return {
        "wanted": wanted,
        "job": _job(making_key(wanted)) if waiting else None,
        "more": sum(wanted.problem_counts.values()) - listed,
    }


def added_page(added: AddedFiles) -> dict[str, Any]:
    """Files that are being added to a collection, what they brought, or why they were refused."""
    waiting = added.state == AddedFiles.State.WAITING
    return {
        "collection": added.collection,
        "added": added,
        "job": _job(adding_key(added)) if waiting else None,
        "more": sum(added.problem_counts.values()) - len(added.problems),
    }


def adding_page(collection: Collection) -> dict[str, Any]:
    """What a collection has of passage files and texts, and the last files that were added."""
    texts = Passage.objects.filter(collection=collection)
    return {
        "collection": collection,
        "sources": PassageSource.objects.filter(collection=collection).count(),
        "without_text": texts.filter(text__isnull=True).count(),
        "before": list(
            AddedFiles.objects.filter(collection=collection).select_related("user").order_by("-pk")[:10]
        ),
    }


def _job(key: str) -> Job | None:
    return Job.objects.filter(key=key).order_by("-pk").first()


def _dress(upload: RunUpload) -> None:
    upload.words = STATES[RunUpload.State(upload.state)]  # type: ignore[attr-defined]
    upload.total = sum(upload.problem_counts.values()) or len(upload.problems)  # type: ignore[attr-defined]
