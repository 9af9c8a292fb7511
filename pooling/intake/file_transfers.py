"""Receive files of a collection that a client announces and then sends in parts.

The row records how much of each file has arrived. A part is written while the row is locked, so only one of two parts
for the same offset is accepted. After the last byte of the last file, the row waits for its job.
"""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from accounts.models import User
from pooling.errors import KeyUsed, NotFound, PoolingError, UploadOver
from pooling.intake.added_files import check_addable
from pooling.intake.collections import check_new
from pooling.intake.quotas import StoredFile
from pooling.intake.run_transfers import CHUNK, Stream, arriving_part, refuse_unfit, wrong_offset
from pooling.intake.sent_files import (
    CANDIDATES,
    KINDS,
    PASSAGES,
    QRELS,
    QUERIES,
    AnnouncedFile,
    Row,
    forget_sent_files,
    kept_within_quota,
    sources_on_the_server,
)
from pooling.intake.unknown_queries import can_leave_out
from pooling.models import AddedFiles, Collection, NewCollection

Arriving = NewCollection | AddedFiles
RECEIVING, WAITING = "receiving", "waiting"


def announce_collection(
    *,
    user: User,
    key: str,
    name: str,
    details: dict[str, Any],
    files: Sequence[AnnouncedFile],
    on_server: Sequence[str] = (),
) -> tuple[NewCollection, bool]:
    """Announce the files of a new collection. Returns the request, and whether it is new.

    A repeated key for the same announcement returns the earlier request. Raises PoolingError.
    """

    def check() -> None:
        check_new(name, details.get("language", "en"))
        _check_files(files, {QUERIES: 1, QRELS: 1, CANDIDATES: 0})
        if not any(file.what == QUERIES for file in files):
            raise PoolingError("A collection needs queries.", "Add a file of queries.")

    identity, facts = {"user": user, "key": key}, {"name": name, "details": details}
    return _announce_once(NewCollection, identity, facts, files, on_server, check)


def announce_files(
    *,
    collection: Collection,
    user: User,
    key: str,
    details: dict[str, Any],
    files: Sequence[AnnouncedFile],
    on_server: Sequence[str] = (),
) -> tuple[AddedFiles, bool]:
    """Start an upload of labels, candidates and passage files. Returns the request, and whether it is new.

    Without files, missing texts are looked up in the registered passage files. Raises PoolingError.
    """

    def check() -> None:
        _check_files(files, {QUERIES: 0, QRELS: 1, CANDIDATES: 1})
        labels = any(file.what == QRELS for file in files)
        check_addable(collection, details, labels=labels, files=bool(files or on_server))

    identity = {"collection": collection, "user": user, "key": key}
    return _announce_once(AddedFiles, identity, {"details": details}, files, on_server, check)


def receive_part(wanted: Arriving, number: int, *, offset: int, stream: Stream, length: int) -> Arriving:
    """Add ``length`` bytes that continue the file of this number (from 1) at ``offset``.

    Bytes received before the connection ends are stored. Raises NotFound, WrongOffset, UploadRefused.
    """
    left = _bytes_left(wanted, number, offset)
    with arriving_part(stream, length=length, left=left) as (part, came):
        if came:
            _keep_part(wanted, number, offset, part, came)
    wanted.refresh_from_db()
    return wanted


def abandon_files(wanted: Arriving) -> None:
    """Delete an unread or refused request, and its files.

    A refused request to add files can be deleted only while its files are kept. A job that is reading the files then
    changes nothing. Raises UploadRefused if the request cannot be deleted.
    """
    files = list(wanted.files)
    there = Q(state__in=[RECEIVING, WAITING])
    if can_leave_out(wanted) or (isinstance(wanted, NewCollection) and wanted.state == wanted.State.REFUSED):
        there |= Q(state=wanted.state)
    if not type(wanted).objects.filter(there, pk=wanted.pk).delete()[0]:
        raise UploadOver("These files have already been read.", "There is nothing to discard.")
    forget_sent_files(files, KINDS)


def file_of(wanted: Arriving, number: int) -> StoredFile:
    """Return the announced file with this number, from 1. Raises NotFound."""
    if not 1 <= number <= len(wanted.files) or "size_bytes" not in wanted.files[number - 1]:
        raise NotFound(
            f"This upload has no file {number}.", "Use a number from the response that created the upload."
        )
    return dict(wanted.files[number - 1])


def _check_files(files: Sequence[AnnouncedFile], most: dict[str, int]) -> None:
    for file in files:
        refuse_unfit(file.name, file.size)
    for what, number in most.items():
        if sum(file.what == what for file in files) > number:
            refusal = f"Send only {number} file of {what}." if number else f"No {what} can be added."
            raise PoolingError(refusal, "Send only the kinds of files that are accepted here.")


def _announce_once(
    model: Any,
    identity: dict[str, Any],
    facts: dict[str, Any],
    files: Sequence[AnnouncedFile],
    on_server: Sequence[str],
    check: Callable[[], None],
) -> tuple[Any, bool]:
    """Return the row with this identity, and whether it is new. Creates it if ``check`` raises no error."""
    if before := model.objects.filter(**identity).first():
        return _require_same_files(before, facts, files, on_server), False
    check()
    state = RECEIVING if files else WAITING
    try:
        with kept_within_quota(identity["user"], files, _offered_paths(on_server)) as kept:
            return model.objects.create(**identity, **facts, files=kept, state=state), True
    except IntegrityError:
        return _require_same_files(model.objects.get(**identity), facts, files, on_server), False


def _offered_paths(names: Sequence[str]) -> list[Path]:
    offered = {path.name: path for path in sources_on_the_server()}
    if missing := [name for name in names if name not in offered]:
        raise NotFound(f"The server offers no passage file {missing[0]!r}.", "Upload it instead.")
    return [offered[name] for name in names]


def _require_same_files(
    before: Row, facts: dict[str, Any], files: Sequence[AnnouncedFile], on_server: Sequence[str]
) -> Row:
    wanted: list[Any] = [(file.what, file.name, file.size) for file in files]
    wanted += [(PASSAGES, name, None) for name in on_server]
    there = [(file["what"], file["name"], file.get("size_bytes")) for file in before.files]
    if there != wanted or any(getattr(before, name) != value for name, value in facts.items()):
        raise KeyUsed("This idempotency key was used for other files.", "Use a new key.")
    return before


def _bytes_left(wanted: Arriving, number: int, offset: int) -> int:
    """Return how many bytes of a file are missing. Raises NotFound, and WrongOffset if ``offset`` is not the next."""
    file = file_of(wanted, number)
    received: int = file["received_bytes"]
    left: int = file["size_bytes"] - received
    whole = wanted.state != RECEIVING or not left
    if whole or received != offset:
        raise wrong_offset(received, whole=whole)
    return left


@transaction.atomic
def _keep_part(wanted: Arriving, number: int, offset: int, part: IO[bytes], came: int) -> None:
    held = type(wanted).objects.select_for_update().filter(pk=wanted.pk).first()
    if held is None:
        raise UploadOver("This upload was discarded or has expired.", "Start a new upload.")
    _bytes_left(held, number, offset)
    file = held.files[number - 1]
    with Path(file["path"]).open("r+b") as target:
        target.truncate(offset)  # The file may end with a part whose receipt was never recorded in the row.
        target.seek(offset)
        shutil.copyfileobj(part, target, CHUNK)
    file["received_bytes"] = offset + came
    if all(one.get("received_bytes") == one.get("size_bytes") for one in held.files):
        held.state = WAITING
    held.save(update_fields=["files", "state"])
