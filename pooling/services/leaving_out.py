"""Read a refused file again without the lines of queries that the collection does not have.

A file with no other problem is kept for a day after its refusal, so that it need not be sent again.
"""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from config import clock
from config.sweep import Sweep
from pooling.errors import UploadRefused
from pooling.models import AddedFiles, NewCollection, RunUpload
from pooling.problems import UNKNOWN_QUERY, only_unknown_queries
from pooling.services.quotas import refuse_over_quota, sent_by_people, sizes_of
from pooling.services.receiving import forget_parts
from pooling.services.sent_files import KINDS, forget_sent_files

Refused = RunUpload | NewCollection | AddedFiles
KEPT_AFTER_REFUSAL = timedelta(days=1)


def can_leave_out(row: Refused) -> bool:
    """Return whether the file was refused only for unknown queries and is still stored."""
    return (
        row.state == RunUpload.State.REFUSED and only_unknown_queries(row.problem_counts) and _has_files(row)
    )


def leave_out_unknown(row: Refused) -> None:
    """Queue the file to be read again without those lines. Raises UploadRefused, QuotaReached."""
    again: dict[str, Any] = {"problems": [], "problem_counts": {}, "finished_at": None}
    if isinstance(row, RunUpload):
        # Rounds compare arrival times: the refused file was not a submission, but this file is.
        again |= {"options": {**row.options, "skip_unknown": True}, "report": {}, "arrived_at": clock.now()}
    else:
        again["details"] = {**row.details, "skip_unknown": True}
    with transaction.atomic():
        if row.user is not None:
            refuse_over_quota(row.user, files=1, size=_bytes_sent(row))
        there = type(row).objects.filter(pk=row.pk, state=RunUpload.State.REFUSED)
        if not can_leave_out(row) or not there.update(
            state=RunUpload.State.WAITING, created_at=clock.now(), **again
        ):
            raise UploadRefused("The refused file is no longer stored.", "Send it again.")
    row.refresh_from_db()


def forget_refused() -> int:
    """Delete the files of refused uploads that were not reused in time. Returns how many; the refusals stay."""
    over = {
        "state": RunUpload.State.REFUSED,
        "finished_at__lte": clock.now() - KEPT_AFTER_REFUSAL,
        "problem_counts__has_key": UNKNOWN_QUERY,
    }
    late: list[QuerySet[Any]] = [
        RunUpload.objects.filter(**over).exclude(parts=[]),
        NewCollection.objects.filter(**over),
        AddedFiles.objects.filter(**over),
    ]
    forgotten, sweep = 0, Sweep("Deleting refused files")
    for row in (row for rows in late for row in rows if _has_files(row)):
        with sweep.step(f"{row._meta.verbose_name} {row.pk}"):
            _forget_files(row)
            forgotten += 1
    sweep.end()
    return forgotten


def _forget_files(row: Refused) -> None:
    if isinstance(row, RunUpload):
        # Somebody may be starting another read: then its parts stay.
        refused = RunUpload.objects.filter(pk=row.pk, state=RunUpload.State.REFUSED)
        if refused.update(parts=[]):
            forget_parts(row.parts)
    elif type(row).objects.filter(pk=row.pk, state=RunUpload.State.REFUSED).exists():
        forget_sent_files(row.files, KINDS)


def _has_files(row: Refused) -> bool:
    if isinstance(row, RunUpload):
        return bool(row.parts)
    sent = sent_by_people(row.files)
    return bool(sent) and all(path.is_file() for _, path in sent)


def _bytes_sent(row: Refused) -> int:
    return row.size_bytes if isinstance(row, RunUpload) else sum(sizes_of(row.files))
