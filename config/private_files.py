"""Keep what an installation writes from other accounts of the machine.

Both settings modules import this first, so it holds for every process: pages, commands, background work, marketplace.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

PRIVATE = 0o077
#: The umask this process was started with: it applies to files that a person asks for by name.
_started_with = os.umask(PRIVATE)


def tighten_folder(folder: Path) -> None:
    """Close a data folder, and what lies directly in it, to everybody but its owner."""
    # Somebody may name a folder that is not only ours: /tmp, or one that the program itself lies in.
    if not folder.is_dir() or folder.stat().st_mode & stat.S_ISVTX or folder in Path(__file__).parents:
        return
    tighten(folder)
    with suppress(OSError):
        for path in folder.iterdir():
            tighten(path)


def tighten(path: Path) -> None:
    """Close a file or folder to everybody but its owner; one of another owner, or none, is left as it is."""
    with suppress(OSError):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & PRIVATE and not mode & stat.S_ISVTX:
            path.chmod(mode & ~PRIVATE)


def tighten_sqlite(file: Path) -> None:
    """Close an SQLite database, and the files with its newest rows, to everybody but its owner."""
    for ending in ("", "-wal", "-shm"):
        tighten(file.with_name(file.name + ending))


def hand_over(file: Path) -> None:
    """Give a new file that a person asked for the rights that their shell gives to new files."""
    with suppress(OSError):  # not every file system keeps rights
        file.chmod(0o666 & ~_started_with)
