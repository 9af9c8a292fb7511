"""Limit the decompressed size of a file, given its size as sent."""

from pathlib import Path

from django.conf import settings

#: No real file grows this much when decompressed, only a decompression bomb.
MOST_GROWTH = 200
ALWAYS_ALLOWED = 256 * 1024**2


def most_bytes(size: int) -> int:
    """Return the maximum decompressed size of a file of this size."""
    return int(min(settings.MAX_DECOMPRESSED_BYTES, max(ALWAYS_ALLOWED, MOST_GROWTH * size)))


def most_bytes_of_run(size: int | None = None) -> int:
    """Return the limit for a run, which is read into memory.

    No size means that the file is already on this machine.
    """
    most = settings.MAX_RUN_BYTES, settings.MAX_DECOMPRESSED_BYTES
    return int(min(most) if size is None else min(*most, most_bytes(size)))


def most_bytes_of(path: Path) -> int:
    """Return the file's maximum decompressed size. A path that is not a file is refused when it is read."""
    return most_bytes(path.stat().st_size if path.is_file() else 0)
