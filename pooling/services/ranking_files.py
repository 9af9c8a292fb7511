"""Where the rankings of runs lie: one immutable Parquet file a run, in the storage ``runs``."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages

from pooling.errors import NotFound
from pooling.models import Run
from pooling.ranking import Ranking, read_ranking, write_ranking


def put(name: str, ranking: Ranking) -> None:
    """Store a ranking. The file appears whole or not at all; one of the same name has the same content."""
    storage = storages["runs"]
    folder = _local_path(storage, name)
    directory = folder.parent if folder else Path(settings.PREFEREE_DATA_DIR)
    directory.mkdir(parents=True, exist_ok=True)
    handle, written = tempfile.mkstemp(prefix=".arriving-", suffix=".parquet", dir=directory)
    os.close(handle)
    try:
        write_ranking(ranking, Path(written))
        if folder:
            _flush(Path(written))
            Path(written).replace(folder)
        elif not storage.exists(name):
            with Path(written).open("rb") as file:
                storage.save(name, File(file))
    finally:
        Path(written).unlink(missing_ok=True)


def get(run: Run, depth: int | None = None) -> Ranking:
    """Read a run's ranking, or its first ``depth`` ranks. Raises NotFound when the file is gone."""
    path = _local_path(storages["runs"], run.storage_name) or _cached(run.storage_name)
    if not path.exists():
        raise NotFound(
            f"The stored ranking of run {run.run_tag} is gone ({run.storage_name}).",
            "Put the folder of stored runs back from a backup, or import the run again.",
        )
    return read_ranking(path, depth)


def _local_path(storage: Storage, name: str) -> Path | None:
    try:
        return Path(storage.path(name))
    except NotImplementedError:
        return None


def _cached(name: str) -> Path:
    """A local copy of a file that lies in remote storage; files are immutable, so it never ages."""
    copy = Path(settings.PREFEREE_DATA_DIR) / "cache" / "runs" / name
    storage = storages["runs"]
    if not copy.exists() and storage.exists(name):
        copy.parent.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.NamedTemporaryFile(dir=copy.parent, delete=False) as local,
            storage.open(name) as remote,
        ):
            for chunk in remote.chunks():
                local.write(chunk)
        Path(local.name).replace(copy)
    return copy


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
