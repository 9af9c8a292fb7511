"""Protect the installation's files from other accounts of the machine.

Both settings modules import this before they write a file, so it applies to every process: pages, commands, jobs and
marketplace.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path

PRIVATE = 0o077
#: The umask with which this process was started. It still applies to files that a person asks a command to write.
_started_with = os.umask(PRIVATE)


def tighten_folder(folder: Path) -> None:
    """Remove access to a data folder, and to its direct contents, for everyone but the owner."""
    # Leave a folder alone if others need it: a shared one such as /tmp, or one that contains the program.
    if not folder.is_dir() or folder.stat().st_mode & stat.S_ISVTX or folder in Path(__file__).parents:
        return
    tighten(folder)
    with suppress(OSError):
        for path in folder.iterdir():
            tighten(path)


def tighten(path: Path) -> None:
    """Remove access to a file or folder for everyone but the owner. Skip it if it is missing or not our own."""
    with suppress(OSError):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & PRIVATE and not mode & stat.S_ISVTX:
            path.chmod(mode & ~PRIVATE)


def tighten_sqlite(file: Path) -> None:
    """Remove access to an SQLite database and its -wal and -shm files for everyone but the owner."""
    for ending in ("", "-wal", "-shm"):
        tighten(file.with_name(file.name + ending))


def give_to_user(file: Path) -> None:
    """Set the permissions of a file that a person asked for to the shell's default for new files."""
    with suppress(OSError):  # not every file system has permissions
        file.chmod(0o666 & ~_started_with)
