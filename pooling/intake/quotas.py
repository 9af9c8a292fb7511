"""Limit one person's unread files, so that nobody can fill the disk."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template.defaultfilters import filesizeformat

from accounts.models import User
from config.background.models import Job
from config.plurals import many
from pooling.errors import QuotaReached
from pooling.files.problems import UNKNOWN_QUERY
from pooling.models import AddedFiles, NewCollection, RunUpload

Sent = RunUpload | NewCollection | AddedFiles
#: A file as stored in a row: its kind, the sender's name for it, and its path. A file sent in parts also has
#: its announced size (``size_bytes``) and the bytes received so far (``received_bytes``).
StoredFile = dict[str, Any]


def refuse_over_quota(user: User, *, files: int, size: int) -> None:
    """Raise QuotaReached if these further files are too many or too large for this person.

    Call it in the transaction that stores the files. It locks the person's row, so that concurrent requests are
    counted one after another.
    """
    list(User.objects.select_for_update().filter(pk=user.pk))
    refuse_if_full(user, files=files, size=size)


def refuse_if_full(user: User, *, files: int, size: int) -> None:
    """Raise QuotaReached as ``refuse_over_quota`` does, but without a lock; for a check before the files arrive."""
    kept, there = held_uploads(user)
    # A request for missing texts has no file, but still takes time.
    if kept + max(files, 1) <= settings.MAX_WAITING_FILES and there + size <= settings.MAX_WAITING_BYTES:
        return
    most = f"{many(settings.MAX_WAITING_FILES, 'file')} and {filesizeformat(settings.MAX_WAITING_BYTES)}"
    raise QuotaReached(
        f"This file would exceed your limit: {most} at a time. You have {many(kept, 'unread file')} "
        f"({filesizeformat(there)}).",
        "Wait until some are read, or discard some.",
    )


def held_uploads(user: User) -> tuple[int, int]:
    """Return the number and bytes of this person's files that are incomplete, unsubmitted or unread.

    Files whose job failed do not count, because that is not the person's fault. The bytes include refused files that
    are still stored.
    """
    mine = {"user": user}
    states = RunUpload.State
    uploads = RunUpload.objects.filter(state__in=[states.RECEIVING, states.WAITING, states.CHECKED], **mine)
    waiting: list[NewCollection | AddedFiles] = [
        *NewCollection.objects.filter(state__in=["receiving", "waiting"], **mine),
        *AddedFiles.objects.filter(state__in=["receiving", "waiting"], **mine),
    ]
    runs = list(uploads.only("pk", "state", "size_bytes"))
    failed = keys_that_failed([*runs, *waiting])
    sizes = [upload.size_bytes for upload in runs if upload.job_key not in failed]
    for row in waiting:
        if row.job_key not in failed:
            sizes += sizes_of(row.files) or [0]
    return len(sizes), sum(sizes) + _held_after_refusal(user)


def _held_after_refusal(user: User) -> int:
    """Return the bytes of refused files that are stored for a while (``pooling.intake.unknown_queries``)."""
    refused = {"user": user, "state": "refused", "problem_counts__has_key": UNKNOWN_QUERY}
    kept = RunUpload.objects.filter(**refused).exclude(parts=[])
    files = [
        *NewCollection.objects.filter(**refused).values_list("files", flat=True),
        *AddedFiles.objects.filter(**refused).values_list("files", flat=True),
    ]
    held = sum(_on_disk(path) for one in files for _, path in sent_by_people(one))
    return sum(kept.values_list("size_bytes", flat=True)) + held


def keys_that_failed(rows: Iterable[Sent]) -> set[str]:
    """Return the job keys of those files whose latest job has failed."""
    keys = [row.job_key for row in rows]
    last = dict(Job.objects.filter(key__in=keys).order_by("pk").values_list("key", "state"))
    return {key for key, state in last.items() if state == Job.State.FAILED}


def sent_by_people(files: Iterable[StoredFile]) -> list[tuple[StoredFile, Path]]:
    """Return the files that were sent or announced, with their paths; files that the server offers are left out."""
    paths = ((file, Path(file["path"])) for file in files)
    return [(file, path) for file, path in paths if path.is_relative_to(sources_folder())]


def sources_folder() -> Path:
    """Return the folder of files that were sent for collections."""
    return Path(settings.DATA_DIR) / "sources"


def _on_disk(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def sizes_of(files: Iterable[StoredFile]) -> list[int]:
    """Return the sizes of sent or announced files."""
    return [file.get("size_bytes") or _on_disk(path) for file, path in sent_by_people(files)]
