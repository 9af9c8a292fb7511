"""Delete the files of old uploads: unfinished, unread, checked but not submitted, or refused."""

from contextlib import suppress
from datetime import timedelta

from django.db.models import Q

from config import clock
from config.background.models import Job
from config.sweep import Sweep
from pooling.errors import UploadRefused
from pooling.files.problems import UNKNOWN_QUERY
from pooling.intake.file_transfers import abandon_files
from pooling.intake.quotas import Sent
from pooling.intake.run_transfers import abandon, forget_parts
from pooling.intake.sent_files import KINDS, forget_sent_files
from pooling.intake.unknown_queries import has_files
from pooling.models import AddedFiles, NewCollection, RunUpload

KEPT_UNFINISHED = timedelta(days=3)
#: How long an unread file is kept, so that it can be checked again if its job failed.
KEPT_WAITING = timedelta(days=7)
#: How long a checked file can be submitted without sending it again.
KEPT_AFTER_CHECK = timedelta(days=1)
#: How long a refused file can be read again without the lines of unknown queries.
KEPT_AFTER_REFUSAL = timedelta(days=1)


def forget_old_uploads() -> int:
    """Delete uploads whose retention period is over; return how many.

    Of refused uploads, only the files are deleted. An upload that cannot be deleted does not block the others:
    SweepFailed is raised at the end.
    """
    now, states = clock.now(), RunUpload.State
    over = Q(state=states.RECEIVING, created_at__lte=now - KEPT_UNFINISHED)
    over |= Q(state=states.WAITING, created_at__lte=now - KEPT_WAITING)
    checked = Q(state=states.CHECKED, finished_at__lte=now - KEPT_AFTER_CHECK)
    late: list[Sent] = [
        *RunUpload.objects.filter(over | checked),
        *NewCollection.objects.filter(over),
        *AddedFiles.objects.filter(over),
    ]
    dropped, sweep = 0, Sweep("Deleting old uploads")
    for row in late:
        if Job.objects.live().filter(key=row.job_key).exists():
            continue
        # The file may have been submitted, or its last part may have arrived, in the meantime.
        with sweep.step(f"{row._meta.verbose_name} {row.pk}"), suppress(UploadRefused):
            if isinstance(row, RunUpload):
                abandon(row)
            else:
                abandon_files(row)
            dropped += 1
    refused = Q(state=states.REFUSED, finished_at__lte=now - KEPT_AFTER_REFUSAL)
    refused &= Q(problem_counts__has_key=UNKNOWN_QUERY)
    unused: list[Sent] = [
        *RunUpload.objects.filter(refused).exclude(parts=[]),
        *NewCollection.objects.filter(refused),
        *AddedFiles.objects.filter(refused),
    ]
    for row in filter(has_files, unused):
        with sweep.step(f"{row._meta.verbose_name} {row.pk}"):
            _forget_files(row)
            dropped += 1
    sweep.end()
    return dropped


def _forget_files(row: Sent) -> None:
    if isinstance(row, RunUpload):
        # If somebody has just requested another read, the state has changed, and the parts stay.
        refused = RunUpload.objects.filter(pk=row.pk, state=RunUpload.State.REFUSED)
        if refused.update(parts=[]):
            forget_parts(row.parts)
    elif type(row).objects.filter(pk=row.pk, state=RunUpload.State.REFUSED).exists():
        forget_sent_files(row.files, KINDS)
