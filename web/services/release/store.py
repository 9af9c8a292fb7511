"""Where bundles lie: a file under the hash of its bytes, in the storage ``runs``, beside the runs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files.storage import storages

from config.bucket import Bucket


def name_of(collection: str, number: int, sha256: str) -> str:
    """The file's name in the storage."""
    return f"releases/{collection}/version-{number}-{sha256}.zip"


def size_of(name: str) -> int | None:
    """Bytes of the bundle, None when it was not made."""
    storage = storages["runs"]
    if isinstance(storage, Bucket):
        return int(storage.size(name)) if storage.has(name) else None
    path = Path(storage.path(name))
    return path.stat().st_size if path.exists() else None


@contextmanager
def arriving() -> Iterator[Path]:
    """A passing file to write to, removed if it is still there."""
    folder = Path(settings.PREFEREE_DATA_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    handle, written = tempfile.mkstemp(prefix=".arriving-", suffix=".zip", dir=folder)
    os.close(handle)
    try:
        yield Path(written)
    finally:
        Path(written).unlink(missing_ok=True)


def put(name: str, path: Path) -> None:
    """Keep the file, whole or not at all; one of the same name has the same content."""
    storage = storages["runs"]
    if isinstance(storage, Bucket):
        storage.put(name, path)
        return
    target = Path(storage.path(name))
    target.parent.mkdir(parents=True, exist_ok=True)
    with path.open("rb") as file:
        os.fsync(file.fileno())
    path.replace(target)


def remove(name: str) -> None:
    """Delete the file; one that is not there is gone already."""
    storages["runs"].delete(name)


def opened(name: str) -> IO[bytes] | None:
    """The bundle to read, None when it was not made."""
    storage = storages["runs"]
    if not isinstance(storage, Bucket):
        path = Path(storage.path(name))
        return path.open("rb") if path.exists() else None
    copy = tempfile.TemporaryFile()  # noqa: SIM115 (whoever reads it closes it)
    if not storage.fetch(name, copy):
        copy.close()
        return None
    copy.seek(0)
    return copy
