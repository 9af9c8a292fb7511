"""Store the rankings of runs: one immutable Parquet file per run, in the storage ``runs``.

On S3, the beginning of a long ranking is stored next to it as a separate file. Reading the top of a run then takes a
single request, which does not transfer the whole ranking.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from django.conf import settings
from django.core.files.storage import storages

from pooling.errors import NotFound
from pooling.files.ranking import Ranking, beginning, read_ranking, write_ranking
from pooling.models import CandidateSet, Run
from pooling.storage import ranking_copies
from pooling.storage.bucket import Bucket


def put_ranking(name: str, ranking: Ranking) -> None:
    """Store a ranking under this name.

    The file appears whole or not at all. An existing file of the same name has the same content.
    """
    storage = storages["runs"]
    if isinstance(storage, Bucket):
        if storage.has(name):
            return
        # The beginning is written first, so that a complete file always has its beginning.
        if top := beginning(ranking):
            with _temporary_file(top, Path(settings.PREFEREE_DATA_DIR)) as path:
                storage.put(_beginning_name(name), path)
        with _temporary_file(ranking, Path(settings.PREFEREE_DATA_DIR)) as path:
            storage.put(name, path)
        return
    target = Path(storage.path(name))
    with _temporary_file(ranking, target.parent) as path:
        _flush(path)
        path.replace(target)


def ranking_of(run: Run, depth: int | None = None) -> Ranking:
    """Read a run's ranking, or its first ``depth`` ranks. Raises NotFound if the file is missing."""
    found = stored_ranking(run.storage_name, depth)
    if found is None:
        raise NotFound(
            f"The stored ranking of run {run.run_tag} is missing ({run.storage_name}).",
            "Restore the folder or bucket of stored runs from a backup, or import the run again.",
        )
    return found


def stored_ranking(name: str, depth: int | None = None) -> Ranking | None:
    """Read a stored ranking, or its first ``depth`` ranks; None if the file is missing."""
    storage = storages["runs"]
    if isinstance(storage, Bucket):
        return _from_bucket(storage, name, depth)
    path = Path(storage.path(name))
    return read_ranking(path, depth) if path.exists() else None


def forget_ranking(name: str) -> None:
    """Delete a stored ranking unless a run or a candidate set uses it."""
    users = (Run.objects, CandidateSet.objects)
    if any(rows.filter(storage_name=name).exists() for rows in users):
        return
    for stored in (_beginning_name(name), name):
        # A bucket may refuse to delete. The file is then used again if the run is imported again.
        with suppress(Exception):
            storages["runs"].delete(stored)


def _from_bucket(storage: Bucket, name: str, depth: int | None) -> Ranking | None:
    """Read a ranking from its local copy, or else from the bucket.

    If the file of its beginning is enough, only that file is read.
    """
    read = partial(read_ranking, depth=depth)
    top = _beginning_name(name)
    known = ranking_copies.read_kept(top, read) if depth is not None else None
    if known is not None and _enough(known, depth):
        return known
    whole = ranking_copies.read_kept(name, read)
    if whole is not None:
        return whole
    if depth is not None and known is None:
        known = ranking_copies.fetch_and_read(top, partial(storage.fetch, top), read)
        if known is not None and _enough(known, depth):
            return known
    return ranking_copies.fetch_and_read(name, partial(storage.fetch, name), read)


def _enough(ranking: Ranking, depth: int | None) -> bool:
    """Return whether this beginning of a ranking contains the first ``depth`` ranks (None: all ranks)."""
    longest = int(ranking.lengths.max(initial=0))
    return ranking.depth >= (longest if depth is None else min(depth, longest))


def _beginning_name(name: str) -> str:
    return f"{name.removesuffix('.parquet')}.top.parquet"


@contextmanager
def _temporary_file(ranking: Ranking, directory: Path) -> Iterator[Path]:
    """Write the ranking to a temporary file, which is removed when the block ends."""
    directory.mkdir(parents=True, exist_ok=True)
    handle, written = tempfile.mkstemp(prefix=".arriving-", suffix=".parquet", dir=directory)
    os.close(handle)
    try:
        write_ranking(ranking, Path(written))
        yield Path(written)
    finally:
        Path(written).unlink(missing_ok=True)


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
