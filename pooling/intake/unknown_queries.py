"""Read a refused file again without the lines of queries that the collection does not have.

A file with no other problem is kept for a day after its refusal, so that it need not be sent again.
"""

from typing import Any

from django.db import transaction

from config import clock
from pooling.errors import UploadRefused
from pooling.files.problems import only_unknown_queries
from pooling.intake.quotas import Sent, refuse_over_quota, sent_by_people, sizes_of
from pooling.models import RunUpload


def can_leave_out(row: Sent) -> bool:
    """Return whether the file was refused only for unknown queries and is still stored."""
    return (
        row.state == RunUpload.State.REFUSED and only_unknown_queries(row.problem_counts) and has_files(row)
    )


def leave_out_unknown(row: Sent) -> None:
    """Queue the file to be read again without the lines of unknown queries. Raises UploadRefused, QuotaReached."""
    again: dict[str, Any] = {"problems": [], "problem_counts": {}, "finished_at": None}
    if isinstance(row, RunUpload):
        # Rounds check the time of arrival: the refused file was no submission, so the time of this request counts.
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


def has_files(row: Sent) -> bool:
    """Return whether the files that were sent are still stored."""
    if isinstance(row, RunUpload):
        return bool(row.parts)
    sent = sent_by_people(row.files)
    return bool(sent) and all(path.is_file() for _, path in sent)


def _bytes_sent(row: Sent) -> int:
    return row.size_bytes if isinstance(row, RunUpload) else sum(sizes_of(row.files))
