"""Keep local copies of rankings that are stored on S3, below ``PREFEREE_DATA_DIR/cache/runs``.

A file is named after its content and never changes, so a copy is never out of date. Any number of processes may read,
fetch and delete at once. A copy appears whole or not at all, and a process reads a fetched file before it can be
cleared.
"""

import errno
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, TypeVar

from django.conf import settings
from polars.exceptions import PolarsError

from pooling.errors import NoRoom

T = TypeVar("T")
Fetch = Callable[[IO[bytes]], bool]
"""A function that writes a stored file's bytes to an open file; it returns False if there is no such stored file."""
_ARRIVING = ".arriving-"
_FORGOTTEN_SECONDS = 24 * 3600


def folder() -> Path:
    return Path(settings.PREFEREE_DATA_DIR) / "cache" / "runs"


def read_kept(name: str, read: Callable[[Path], T]) -> T | None:
    """Read the local copy of a file; return None if it is missing or damaged. A damaged copy is deleted."""
    copy = folder() / name
    try:
        os.utime(copy)  # so that recently used copies are cleared last
        return read(copy)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PolarsError:
        copy.unlink(missing_ok=True)
        return None


def fetch_and_read(name: str, fetch: Fetch, read: Callable[[Path], T]) -> T | None:
    """Fetch the file, read it and keep it as a local copy; return None if there is no such file.

    No copy is kept if PREFEREE_S3_CACHE_BYTES is 0. Raises NoRoom if the file cannot be written. The file is
    fetched outside the folder of copies, so that clearing that folder meanwhile does not remove it.
    """
    arriving = None
    try:
        Path(settings.PREFEREE_DATA_DIR).mkdir(parents=True, exist_ok=True)
        handle, written = tempfile.mkstemp(prefix=_ARRIVING, dir=settings.PREFEREE_DATA_DIR)
        arriving = Path(written)
        with os.fdopen(handle, "wb") as file:
            if not fetch(file):
                return None
            file.flush()
            os.fsync(file.fileno())
        found = read(arriving)
        if settings.S3_CACHE_BYTES:
            _keep_copy(arriving, folder() / name)
    except OSError as error:
        raise _no_room(error) from error
    finally:
        if arriving is not None:
            arriving.unlink(missing_ok=True)
    return found


def _keep_copy(arriving: Path, copy: Path) -> None:
    with suppress(FileNotFoundError):  # The folder was removed meanwhile; the next call fetches again.
        copy.parent.mkdir(parents=True, exist_ok=True)
        _replace_copy(arriving, copy)
    clear(keep=copy)


def _replace_copy(arriving: Path, copy: Path) -> None:
    """Replace the copy with the fetched file in one step, even if they are on different file systems."""
    try:
        arriving.replace(copy)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        beside = copy.with_name(f"{_ARRIVING}{uuid.uuid4().hex}")
        try:
            shutil.copyfile(arriving, beside)
            beside.replace(copy)
        finally:
            beside.unlink(missing_ok=True)


def clear(*, keep: Path | None = None) -> None:
    """Remove the least recently used copies, except ``keep``, until the rest is at most PREFEREE_S3_CACHE_BYTES."""
    copies: list[tuple[float, int, Path]] = []
    # os.walk, unlike Path.rglob, continues if a folder disappears meanwhile.
    for parent, _, names in os.walk(folder()):
        for path in (Path(parent, name) for name in names):
            with suppress(FileNotFoundError):
                facts = path.stat()
                copies.append((facts.st_mtime, facts.st_size, path))
    held = sum(size for _, size, _ in copies)
    for _, size, path in sorted(copies):
        if held <= settings.S3_CACHE_BYTES:
            break
        if path != keep:
            path.unlink(missing_ok=True)
            held -= size
    # Also remove partial files of killed processes.
    for path in Path(settings.PREFEREE_DATA_DIR).glob(f"{_ARRIVING}*"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _FORGOTTEN_SECONDS:
                path.unlink()


def _no_room(error: OSError) -> NoRoom:
    return NoRoom(
        f"No local copy of a stored run can be written to {folder()}: {error.strerror or error}.",
        "Free space there, or lower PREFEREE_S3_CACHE_BYTES.",
    )
