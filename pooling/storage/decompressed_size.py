"""Limit the size of a file's decompressed content, given the size of the file as sent."""

from pathlib import Path

from django.conf import settings

from pooling.files.formats import Content, Progress

#: No real file grows this much when decompressed, only a decompression bomb.
MOST_GROWTH = 200
ALWAYS_ALLOWED = 256 * 1024**2


def most_bytes(size: int) -> int:
    """Return the maximum size of the decompressed content of a file of ``size`` bytes."""
    return int(min(settings.MAX_DECOMPRESSED_BYTES, max(ALWAYS_ALLOWED, MOST_GROWTH * size)))


def content_of(path: Path, name: str = "", progress: Progress | None = None) -> Content:
    """Return the content of a file with its size limit. A path that is not a file is refused when it is read."""
    return Content(path, name, most_bytes(path.stat().st_size if path.is_file() else 0), progress)


def run_content_of(
    path: Path, name: str = "", progress: Progress | None = None, *, sent: int | None = None
) -> Content:
    """Return the content of a run file with its size limit.

    The limit is lower than for other files, because a run is read into memory. ``sent``: the size of the file as
    sent; None for a file that is already on this machine.
    """
    most = int(min(settings.MAX_RUN_BYTES, settings.MAX_DECOMPRESSED_BYTES))
    return Content(path, name, most if sent is None else min(most, most_bytes(sent)), progress)
