"""The list of forgotten workers.

It is kept outside the database, because restoring a backup brings forgotten workers back.
"""

import json
import os
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings

from marketplace.errors import AccountRefused

NAME = "marketplace-rights.jsonl"


@dataclass(frozen=True)
class Entry:
    """An entry of the list: a worker, the time, and whether the worker gave up money (``waived``)."""

    worker_id: str
    waived: bool
    at: str


def forgotten_file() -> Path:
    return Path(settings.RIGHTS_DIR or settings.DATA_DIR) / NAME


def forgotten_entries() -> list[Entry]:
    """Return the list in order, without lines that a full disk truncated."""
    found = []
    for line in (
        forgotten_file().read_text(errors="replace").splitlines() if forgotten_file().exists() else []
    ):
        try:
            found.append(Entry(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found


def note_forgotten(worker_id: str, *, waived: bool, now: datetime) -> None:
    """Record that a worker is forgotten, unless the worker is already on the list.

    Call this before the commit. Raises AccountRefused if the list cannot be written, because a restore would undo an
    erasure that is not on the list.
    """
    entry = Entry(worker_id, waived, now.isoformat())
    if any(known.worker_id == worker_id for known in forgotten_entries()):
        return
    try:
        forgotten_file().parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(
            os.open(forgotten_file(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a"
        ) as lines:
            # Starts a new line, because the previous one may be truncated.
            lines.write(f"\n{json.dumps(asdict(entry))}\n")
            lines.flush()
            os.fsync(lines.fileno())
    except OSError as error:
        raise AccountRefused(
            f"Cannot write the list of forgotten workers: {error}",
            "Nothing was changed. Free disk space, or set MARKETPLACE_RIGHTS_DIR to a writable folder.",
        ) from None
