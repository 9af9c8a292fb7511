"""Storage of bundles: files named by their hash in the storage ``runs``, next to the runs."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files.storage import storages

from pooling.storage.bucket import Bucket


def bundle_name(collection: str, number: int, sha256: str) -> str:
    """Return the file's name in the storage."""
    return f"releases/{collection}/version-{number}-{sha256}.zip"


def bundle_size(name: str) -> int | None:
    """Return the bundle's size in bytes; None if it was not made."""
    storage = storages["runs"]
    if isinstance(storage, Bucket):
        return int(storage.size(name)) if storage.has(name) else None
    path = Path(storage.path(name))
    return path.stat().st_size if path.exists() else None


@contextmanager
def temporary_file() -> Iterator[Path]:
    """Yield a temporary file to write to, and remove it afterwards."""
    folder = Path(settings.PREFEREE_DATA_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    handle, written = tempfile.mkstemp(prefix=".arriving-", suffix=".zip", dir=folder)
    os.close(handle)
    try:
        yield Path(written)
    finally:
        Path(written).unlink(missing_ok=True)


def put_bundle(name: str, path: Path) -> None:
    """Store the file atomically. A file with the same name has the same content."""
    storage = storages["runs"]
    if isinstance(storage, Bucket):
        storage.put(name, path)
        return
    target = Path(storage.path(name))
    target.parent.mkdir(parents=True, exist_ok=True)
    with path.open("rb") as file:
        os.fsync(file.fileno())
    path.replace(target)


def remove_bundle(name: str) -> None:
    """Delete the file if it exists."""
    storages["runs"].delete(name)


def open_bundle(name: str) -> IO[bytes] | None:
    """Open the bundle for reading; None if it was not made."""
    storage = storages["runs"]
    if not isinstance(storage, Bucket):
        path = Path(storage.path(name))
        return path.open("rb") if path.exists() else None
    copy = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
    if not storage.fetch(name, copy):
        copy.close()
        return None
    copy.seek(0)
    return copy
