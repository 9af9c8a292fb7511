"""Protect the installation's files from other accounts of the machine.

Both settings modules import this first, so it applies to every process: pages, commands, jobs and marketplace.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path

PRIVATE = 0o077
#: The umask this process was started with. It applies to files that a person asks for by name.
_started_with = os.umask(PRIVATE)


def tighten_folder(folder: Path) -> None:
    """Remove access to a data folder, and to its direct contents, for everyone but the owner."""
    # The folder may be shared: it can be /tmp, or contain the program itself.
    if not folder.is_dir() or folder.stat().st_mode & stat.S_ISVTX or folder in Path(__file__).parents:
        return
    tighten(folder)
    with suppress(OSError):
        for path in folder.iterdir():
            tighten(path)


def tighten(path: Path) -> None:
    """Remove access to a file or folder for everyone but the owner. Skip it if it is missing or not ours."""
    with suppress(OSError):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & PRIVATE and not mode & stat.S_ISVTX:
            path.chmod(mode & ~PRIVATE)


def tighten_sqlite(file: Path) -> None:
    """Remove access to an SQLite database, and the files with its newest rows, for everyone but the owner."""
    for ending in ("", "-wal", "-shm"):
        tighten(file.with_name(file.name + ending))


def give_to_user(file: Path) -> None:
    """Give a file that a person asked for the shell's default permissions for new files."""
    with suppress(OSError):  # not every file system has permissions
        file.chmod(0o666 & ~_started_with)
