"""Compute and store the features of a collection's passages. They are recomputed after the passages change."""

import fcntl
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, Max

from config.background.job_kinds import Progress
from config.guidance import Action
from pooling.errors import NotFound
from pooling.files.feature_files import Features, open_features, write_features
from pooling.models import Collection
from pooling.passages import passages
from pooling.rules.text_features import FEATURES

#: Increased with every change to the computation of features, so that old files are replaced.
FORMAT = 1
WAIT_SECONDS = 0.5


@contextmanager
def features_of(collection: Collection, progress: Progress | None = None) -> Iterator[Features]:
    """Provide the features of the collection's texts, computed now if they are missing or outdated.

    One process computes them while others wait. If it is killed, the next process starts again. The files do not
    change until the block ends. Raises NotFound for a collection without texts.
    """
    folder, made_of = folder_of(collection) / "made", state_of(collection)
    while True:
        with _folder_lock(folder.parent, fcntl.LOCK_SH, progress):
            found = open_features(folder, made_of)
            if found is not None:
                yield found
                return
        with _folder_lock(folder.parent, fcntl.LOCK_EX, progress):
            if open_features(folder, made_of) is None:
                _make_features(collection, folder, made_of, progress)


def folder_of(collection: Collection) -> Path:
    """Return the folder of a collection's features. It can be removed at any time."""
    return Path(settings.PREFEREE_DATA_DIR) / "cache" / "features" / str(collection.pk)


def _make_features(
    collection: Collection, folder: Path, made_of: dict[str, Any], progress: Progress | None
) -> None:
    arriving = folder.with_name("arriving")
    shutil.rmtree(arriving, ignore_errors=True)  # files of a process that was killed

    def read(done: int, total: int) -> None:
        if progress:
            progress(done, total, "Counting the words of passages")

    def written(done: int, total: int) -> None:
        if total and progress:
            progress(done, total, "Weighting the words of passages")
        elif not made_of["sources"]:
            read(done, max(done, made_of["recorded"][0]))

    try:
        made = write_features(arriving, passages.all_texts(collection, read), made_of, written)
        if not made.passages:
            raise NotFound(
                f"Collection {collection.name} has no passage texts.",
                Action("fetch_passages", collection.name, "--passages FILE", lead="Add the passage files"),
            )
        shutil.rmtree(folder, ignore_errors=True)
        arriving.replace(folder)
    finally:
        shutil.rmtree(arriving, ignore_errors=True)


def state_of(collection: Collection) -> dict[str, Any]:
    """Return values that differ whenever the collection's texts differ. Texts are only ever added, never changed."""
    sources = list(collection.sources.order_by("pk").values_list("sha256", flat=True))
    texts = collection.passages.filter(text__isnull=False)
    found = {} if sources else texts.aggregate(count=Count("pk"), last=Max("pk"))
    return {
        "format": FORMAT,
        "features": FEATURES,
        "sources": sources,
        "recorded": [found.get("count") or 0, found.get("last") or 0],
    }


@contextmanager
def _folder_lock(folder: Path, kind: int, progress: Progress | None) -> Iterator[None]:
    """Hold the folder's lock during the block: shared for readers, exclusive for a writer.

    The operating system releases the lock of a killed process.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a") as lock:
        while True:
            try:
                fcntl.flock(lock, kind | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if progress:
                    progress(0, 0, "Waiting for another process to compute the features")
                time.sleep(WAIT_SECONDS)
        yield
