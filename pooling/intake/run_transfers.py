"""Receive run files, whole or in parts, and store them under the sender's key until a job checks them.

Every part is stored as a separate object in the storage ``runs``, so that parts of one file may reach different
machines. The row records the number of bytes received. A conditional update accepts a part only if it begins right
after these bytes. So only one of two parts for the same offset is accepted.
"""

import hashlib
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Protocol

from django.conf import settings
from django.core.files import File
from django.core.files.storage import storages
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import UnreadablePostError
from django.template.defaultfilters import filesizeformat

from accounts.models import User
from config import clock
from pooling.errors import KeyUsed, QuotaReached, UploadOver, UploadRefused, WrongOffset
from pooling.intake.quotas import refuse_if_full, refuse_over_quota
from pooling.intake.upload_senders import sender_values
from pooling.models import Collection, RunUpload

CHUNK = 1 << 20
LONGEST_NAME = 200


class Stream(Protocol):
    """A source of bytes, such as a request or an open file."""

    def read(self, size: int, /) -> bytes: ...


def receive(
    *,
    collection: Collection,
    user: User,
    key: str,
    stream: Stream,
    length: int,
    file_name: str,
    options: dict[str, Any],
    check_only: bool = False,
) -> tuple[RunUpload, bool]:
    """Receive a whole file under the sender's key. Returns the upload, and whether it is new.

    A repeated key with the same content and options returns the earlier upload. If that upload was refused, its file
    is checked again, because the reason may no longer apply. Raises UploadRefused, QuotaReached, KeyUsed.
    """
    refuse_unfit(file_name, length)
    before = _upload_with_key(collection, user, key)
    if before is None or before.state == RunUpload.State.REFUSED:
        refuse_if_full(user, files=1, size=length)
    with tempfile.TemporaryFile(dir=incoming()) as file:
        sha256, left = copy_stream(stream, file, length)
        if left:
            raise UploadRefused(
                f"The upload stopped {left:,} bytes before its end. Nothing was stored.", "Send it again."
            )
        there = _upload_with_key(collection, user, key)
        if there is not None:
            same = _require_same_upload(there, options, check_only, sha256=sha256)
            if same.state == RunUpload.State.REFUSED:
                same = _restart_upload(same, _store_part(file))
            return same, False
        stored = _store_part(file)
    facts = {
        "file_name": file_name,
        "sha256": sha256,
        "size_bytes": length,
        "received_bytes": length,
        "arrived_at": clock.now(),
        "options": options,
        "check_only": check_only,
        "parts": [stored],
    }
    try:
        upload, new = _get_or_create_upload(collection, user, key, facts)
    except QuotaReached:  # a concurrent request has used up the quota
        forget_parts([stored])
        raise
    if not new:
        forget_parts([stored])
        upload = _require_same_upload(upload, options, check_only, sha256=sha256)
    return upload, new


def begin(
    *,
    collection: Collection,
    user: User,
    key: str,
    length: int,
    file_name: str,
    options: dict[str, Any],
    check_only: bool = False,
) -> tuple[RunUpload, bool]:
    """Announce a file of ``length`` bytes to be sent in parts. Returns the upload, and whether it is new.

    A repeated key for the same announcement returns the earlier upload, which continues at its ``received_bytes`` (at
    the first byte if it was refused). Raises UploadRefused, QuotaReached, KeyUsed.
    """
    refuse_unfit(file_name, length)
    if length < 1:
        raise UploadRefused("The file is empty.", "Send a file with at least one line.")
    facts = {
        "file_name": file_name,
        "size_bytes": length,
        "options": options,
        "check_only": check_only,
        "state": RunUpload.State.RECEIVING,
    }
    upload, new = _get_or_create_upload(collection, user, key, facts)
    if not new:
        upload = _require_same_upload(upload, options, check_only, size=length)
        upload = _restart_upload(upload) if upload.state == RunUpload.State.REFUSED else upload
    return upload, new


def append(upload: RunUpload, *, offset: int, stream: Stream, length: int) -> RunUpload:
    """Add ``length`` bytes that continue the file at ``offset``. After the last part, the file waits for its check.

    Bytes received before the connection ends are stored. Raises WrongOffset, UploadRefused.
    """
    if upload.state != RunUpload.State.RECEIVING or upload.received_bytes != offset:
        raise wrong_offset(upload.received_bytes, whole=upload.state != RunUpload.State.RECEIVING)
    with arriving_part(stream, length=length, left=upload.size_bytes - offset) as (part, came):
        if not came:
            return upload
        stored = _store_part(part)
    received = offset + came
    over = received == upload.size_bytes
    state = RunUpload.State.WAITING if over else RunUpload.State.RECEIVING
    counted = RunUpload.objects.filter(
        pk=upload.pk, state=RunUpload.State.RECEIVING, received_bytes=offset
    ).update(
        received_bytes=received,
        parts=[*upload.parts, stored],
        state=state,
        arrived_at=clock.now() if over else None,
    )
    upload.refresh_from_db()
    if not counted:
        forget_parts([stored])
        raise wrong_offset(upload.received_bytes, whole=upload.state != RunUpload.State.RECEIVING)
    return upload


def abandon(upload: RunUpload) -> None:
    """Delete an upload that was not imported and whose file is still stored.

    A check in progress then has no effect.
    """
    states = RunUpload.State
    there = Q(state__in=[states.RECEIVING, states.WAITING, states.CHECKED])
    gone = RunUpload.objects.filter(there | Q(state=states.REFUSED) & ~Q(parts=[]), pk=upload.pk)
    parts = list(upload.parts)
    if not gone.delete()[0]:
        raise UploadOver("This file has already been imported or refused.", "There is nothing to discard.")
    forget_parts(parts)


def forget_parts(stored: Sequence[str]) -> None:
    for name in stored:
        # A bucket may refuse deletion (docs/operations.md); then its own rules remove old uploads.
        with suppress(Exception):
            storages["runs"].delete(name)


def incoming() -> Path:
    """Return the folder for files that are being received; create it if it does not exist."""
    folder = Path(settings.DATA_DIR) / "incoming"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _store_part(file: IO[bytes]) -> str:
    file.seek(0)
    return str(storages["runs"].save(f"uploads/{uuid.uuid4().hex}", File(file)))


def refuse_unfit(file_name: str, length: int) -> None:
    """Raise UploadRefused if the file is too large or its name is invalid."""
    if length > settings.MAX_UPLOAD_BYTES:
        raise UploadRefused(
            f"The file is larger than {filesizeformat(settings.MAX_UPLOAD_BYTES)}.",
            "Compress it, or import it in the terminal.",
            too_large=True,
        )
    fits = 0 < len(file_name) <= LONGEST_NAME and file_name.isprintable() and file_name not in (".", "..")
    if not fits or "/" in file_name or "\\" in file_name:
        raise UploadRefused("The file name is not allowed.", "Use a plain name without folders.")


def copy_stream(stream: Stream, file: IO[bytes], length: int) -> tuple[str, int]:
    """Copy ``length`` bytes, or fewer if the stream ends. Returns their SHA-256, and how many bytes are missing."""
    digest, left = hashlib.sha256(), length
    with suppress(UnreadablePostError):  # the sender's connection was lost
        while left and (part := stream.read(min(CHUNK, left))):
            digest.update(part)
            file.write(part)
            left -= len(part)
    return digest.hexdigest(), left


@contextmanager
def arriving_part(stream: Stream, *, length: int, left: int) -> Iterator[tuple[IO[bytes], int]]:
    """Provide a part of ``length`` bytes as a file, and how many of them arrived before the connection ended.

    Raises UploadRefused if the file has fewer than ``length`` bytes ``left``.
    """
    if not 1 <= length <= left:
        raise UploadRefused(
            f"This part has {length:,} bytes, but only {left:,} are left.", f"Send at most {left:,}."
        )
    with tempfile.TemporaryFile(dir=incoming()) as part:
        _, missing = copy_stream(stream, part, length)
        part.seek(0)
        yield part, length - missing


def wrong_offset(received: int, *, whole: bool) -> WrongOffset:
    """Return the error for a part that does not begin right after the ``received`` bytes, or for a ``whole`` file."""
    if whole:
        return WrongOffset("The whole file has already arrived.", "Check its state.", received)
    return WrongOffset(f"The next byte expected is {received:,}.", "Continue there.", received)


def _upload_with_key(collection: Collection, user: User, key: str) -> RunUpload | None:
    return RunUpload.objects.filter(collection=collection, user=user, key=key).first()


def _get_or_create_upload(
    collection: Collection, user: User, key: str, facts: dict[str, Any]
) -> tuple[RunUpload, bool]:
    """Return the upload with this key, or create it. Only one of two concurrent requests creates it."""
    if (there := _upload_with_key(collection, user, key)) is not None:
        return there, False
    try:
        with transaction.atomic():
            refuse_over_quota(user, files=1, size=facts["size_bytes"])
            facts = {**facts, **sender_values(user, collection)}
            return RunUpload.objects.create(collection=collection, user=user, key=key, **facts), True
    except IntegrityError:
        return RunUpload.objects.get(collection=collection, user=user, key=key), False


def _require_same_upload(
    there: RunUpload, options: dict[str, Any], check_only: bool, *, sha256: str = "", size: int | None = None
) -> RunUpload:
    content = there.sha256 == sha256 if size is None else there.size_bytes == size
    if not content or (there.options, there.check_only) != (options, check_only):
        raise KeyUsed("This idempotency key was used for another upload.", "Use a new key.")
    return there


def _restart_upload(upload: RunUpload, *stored: str) -> RunUpload:
    """Restart a refused upload, sent for the person's present team.

    It waits for its check if the whole file is ``stored``, otherwise for its parts.
    """
    state = RunUpload.State.WAITING if stored else RunUpload.State.RECEIVING
    forgotten: dict[str, Any] = {"problems": [], "problem_counts": {}, "report": {}, "finished_at": None}
    if not stored:
        forgotten["sha256"] = ""  # the file sent now may be a corrected one
    received = upload.size_bytes if stored else 0
    refused = RunUpload.objects.filter(pk=upload.pk, state=RunUpload.State.REFUSED)
    forgotten |= {"state": state, "parts": [*stored], "received_bytes": received, "created_at": clock.now()}
    forgotten["arrived_at"] = clock.now() if stored else None
    try:
        with transaction.atomic():
            if upload.user is not None:
                refuse_over_quota(upload.user, files=1, size=upload.size_bytes)
                forgotten |= sender_values(upload.user, upload.collection)
            begun = refused.update(**forgotten)
    except QuotaReached:
        forget_parts(stored)
        raise
    # If nothing was updated, a concurrent request has sent the file.
    forget_parts(upload.parts if begun else stored)
    upload.refresh_from_db()
    return upload
