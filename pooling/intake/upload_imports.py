"""Check uploaded run files, list all their problems, and import them unless only a check was requested."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage, storages
from django.db import transaction

from config import clock
from config.guidance import Guidance, joined
from pooling.errors import (
    AlreadyImported,
    InvalidFile,
    PoolingError,
    SameRun,
    SubmissionRefused,
    UploadOver,
    UploadRefused,
    WrongOffset,
)
from pooling.files.formats import Content, Progress
from pooling.files.problems import Problem, Problems, only_unknown_queries
from pooling.intake.run_transfers import CHUNK, forget_parts, incoming
from pooling.intake.upload_senders import entry_of
from pooling.labels.query_splits import private_qids
from pooling.models import Collection, Run, RunUpload
from pooling.runs.candidate_sets import refuse_outside_candidates
from pooling.runs.run_problems import problems_of_run
from pooling.runs.runs import (
    CheckedRun,
    RunFacts,
    check_run,
    checked_run_summary,
    keep_run,
    log_added,
    record_check,
    run_field_values,
    tag_of,
)
from pooling.storage.decompressed_size import run_content_of
from pooling.storage.reader_faults import refusing_faults
from pooling.teams.rounds import Entry
from pooling.teams.submission_policies import FORMER, refuse_against_policy, requirable

DAYS = ("submitted_on", "anonymous_until")
QIDS_SHOWN = 100


def check_upload(upload: RunUpload, *, progress: Progress | None = None) -> RunUpload:
    """Check the file and, unless only a check was requested, import it as a run, whole or not at all.

    Safe to repeat.
    """
    if upload.state != RunUpload.State.WAITING:
        return upload
    try:
        with _local_file(upload) as path:
            _check_file(upload, run_content_of(path, upload.file_name, progress, sent=upload.size_bytes))
    except _StoredFileGone as gone:
        _record_outcome(
            upload, _refusal_fields(Problems((_problem_about_run(gone, upload.collection),), {"run": 1}))
        )
    return RunUpload.objects.filter(pk=upload.pk).first() or upload  # else it was deleted


def _check_file(upload: RunUpload, content: Content) -> None:
    """Check the file, import it unless only a check was requested, and record the outcome."""
    known: dict[str, Any] = {"sha256": upload.sha256 or _upload_sha256(content.path)}
    entry = None
    try:
        entry = entry_of(upload)
        with refusing_faults(upload.file_name):
            checked = check_run(
                content,
                collection=upload.collection,
                order=upload.options.get("order", ""),
                run_tag=upload.options.get("run_tag", ""),
                skip_unknown=upload.options.get("skip_unknown", False),
            )
        known["report"] = _check_report(checked, private_qids(upload.collection))
        if upload.check_only:
            said = run_field_values(upload.collection, _facts_from_options(upload), checked.run_tag, entry)
            refuse_outside_candidates(upload.collection, checked.file.ranking, said["details"], content)
            refuse_against_policy(upload.collection, checked.run_tag, said, entry)
            _record_outcome(upload, known | {"state": RunUpload.State.CHECKED})
            return

        def settle(run: Run) -> None:
            entry_of(upload)  # the sender may have left during the check
            if not _record_outcome(upload, known | {"state": RunUpload.State.IMPORTED, "run": run}):
                raise UploadOver("The file was discarded while it was being checked.", "Send it again.")
            log_added(upload.collection, [run], who=upload.user.get_username() if upload.user else "")

        keep_run(
            upload.collection,
            checked,
            _facts_from_options(upload),
            entry=entry,
            upload_id=upload.pk,
            settle=settle,
        )
        forget_parts(upload.parts)
    except PoolingError as refusal:
        told = _without_others(entry, refusal)
        _record_outcome(upload, known | _refusal_fields(_all_problems(upload, content, told, entry)))


def _refusal_fields(found: Problems) -> dict[str, Any]:
    return {
        "state": RunUpload.State.REFUSED,
        "problems": [one.as_json() for one in found.listed],
        "problem_counts": found.counts,
    }


def _record_outcome(upload: RunUpload, changes: dict[str, Any]) -> bool:
    """Record the outcome of the check, unless the upload was deleted or another process recorded one first.

    Returns whether the outcome was recorded.
    """
    refused = changes["state"] == RunUpload.State.REFUSED
    kept = changes["state"] == RunUpload.State.CHECKED
    kept = kept or (refused and only_unknown_queries(changes["problem_counts"]))
    changes |= {"finished_at": clock.now(), "parts": upload.parts if kept else []}
    with transaction.atomic():
        done = RunUpload.objects.filter(pk=upload.pk, state=RunUpload.State.WAITING).update(**changes)
        # Importing a run also records the check, and deletes the file once the run exists.
        if done and changes["state"] != RunUpload.State.IMPORTED:
            record_check(
                upload.collection,
                str(changes["state"]),
                upload_id=upload.pk,
                problem_counts=changes.get("problem_counts"),
            )
    if done and refused and not kept:
        forget_parts(upload.parts)
    return bool(done)


class _StoredFileGone(UploadRefused):
    """An upload whose stored file is missing, for example because a bucket's rules removed it."""


def submit_checked(upload: RunUpload) -> RunUpload:
    """Import a file that passed a check, without sending it again. Raises UploadRefused."""
    again: dict[str, Any] = {"state": RunUpload.State.WAITING, "check_only": False, "finished_at": None}
    again |= {"report": {}, "arrived_at": clock.now()}  # submitted now, not at the check
    there = RunUpload.objects.filter(pk=upload.pk, state=RunUpload.State.CHECKED).exclude(parts=[])
    if not there.update(**again):
        raise _submission_refusal(upload)
    upload.refresh_from_db()
    return upload


def _submission_refusal(upload: RunUpload) -> PoolingError:
    """Return the error for a file that cannot be submitted, with the reason and what to do instead."""
    now = RunUpload.objects.filter(pk=upload.pk).first()
    if now is None:
        return UploadOver("The file was discarded.", "Send it again.")
    if now.state == RunUpload.State.RECEIVING:
        here = f"{now.received_bytes:,} of {now.size_bytes:,} bytes have arrived"
        return WrongOffset(
            f"The upload is incomplete: {here}.",
            "Send the rest. The check starts after the last byte.",
            now.received_bytes,
        )
    if now.state == RunUpload.State.WAITING:
        return UploadRefused("The file is being checked.", "Check its state.")
    if now.state == RunUpload.State.IMPORTED:
        return UploadOver("The file is already imported.", "There is nothing left to do.")
    if now.state == RunUpload.State.REFUSED:
        return UploadRefused("The file was refused.", "Follow the advice on each of its problems.")
    return UploadRefused("The file is no longer here.", "Send it again.")


def _facts_from_options(upload: RunUpload) -> RunFacts:
    facts: dict[str, Any] = {
        name: upload.options[name] for name in RunFacts.__dataclass_fields__ if name in upload.options
    }
    facts |= {name: date.fromisoformat(facts[name]) for name in DAYS if facts.get(name)}
    facts["details"] = _details_from_options(upload.options)
    return RunFacts(**facts)


def _details_from_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run's details from the options of a form or an API request, including those under a former name."""
    former = {FORMER[name]: options[name] for name in FORMER if options.get(name)}
    pairs = [pair.partition("=") for pair in options.get("detail", ())]
    return former | {name.strip(): value for name, _, value in pairs} | options.get("details", {})


def _check_report(checked: CheckedRun, private: frozenset[str]) -> dict[str, Any]:
    """Return the summary of the check, with the numbers of unanswered and skipped queries.

    Only the first queries of each kind are listed. Unanswered public queries come before private ones.
    """
    report = checked_run_summary(checked)
    report["unanswered"] = sorted(report["unanswered"], key=private.__contains__)
    report["unanswered_private"] = sum(qid in private for qid in report["unanswered"])
    for name in ("unanswered", "skipped"):
        report[f"{name}_count"] = len(report[name])
        report[name] = list(report[name][:QIDS_SHOWN])
    return report


def _all_problems(
    upload: RunUpload, content: Content, refusal: PoolingError, entry: Entry | None
) -> Problems:
    """Return all problems of the file's lines, if a line was refused, and of the facts about the run."""
    listed: list[Problem] = []
    counts: dict[str, int] = {}
    if isinstance(refusal, InvalidFile):
        lines = problems_of_run(
            refusal,
            content,
            collection=upload.collection,
            skip_unknown=upload.options.get("skip_unknown", False),
        )
        listed, counts = list(lines.listed), dict(lines.counts)
        try:
            tag = upload.options.get("run_tag", "") or tag_of(upload.file_name)
            said = run_field_values(upload.collection, _facts_from_options(upload), tag, entry)
            refuse_against_policy(upload.collection, tag, said, entry)
            return Problems(tuple(listed), counts)
        except PoolingError as other:
            refusal = other
    reasons = refusal.parts if isinstance(refusal, SubmissionRefused) else (refusal,)
    about_run = [_problem_about_run(one, upload.collection) for one in reasons]
    return Problems((*about_run, *listed), {about_run[0].kind: len(about_run)} | counts)


def _without_others(entry: Entry | None, refusal: PoolingError) -> PoolingError:
    """Return the refusal as shown to a team, without facts about another team's run."""
    if not isinstance(refusal, SameRun) or entry is None or refusal.team == entry.team.name:
        return refusal
    if refusal.of_tag:
        return AlreadyImported("Somebody else's run already has this tag.", "Give the run another tag.")
    return AlreadyImported("Somebody else's run already has this content.", "Send another file.")


def _problem_about_run(refusal: PoolingError, collection: Collection) -> Problem:
    if isinstance(refusal, SubmissionRefused) and refusal.missing:
        possible = requirable(collection)
        names = joined(", ", (possible.get(name, name) for name in refusal.missing))
        return Problem(0, "submission policy", refusal.message, Guidance("Add: ", names, "."))
    kind = "submission policy" if isinstance(refusal, SubmissionRefused) else "run"
    return Problem(0, kind, refusal.message, refusal.next_step)


@contextmanager
def _local_file(upload: RunUpload) -> Iterator[Path]:
    """Provide the stored parts as one file on this machine."""
    storage = storages["runs"]
    if isinstance(storage, FileSystemStorage) and len(upload.parts) == 1:
        yield Path(storage.path(upload.parts[0]))
        return
    with tempfile.NamedTemporaryFile(dir=incoming()) as whole:
        for stored in upload.parts:
            try:
                part = storage.open(stored)
            except FileNotFoundError:
                raise _StoredFileGone("The file is no longer here.", "Send it again.") from None
            with part:
                shutil.copyfileobj(part, whole, CHUNK)
        whole.flush()
        yield Path(whole.name)


def _upload_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
