"""The list of forgotten workers beside the database, by worker id: a restored backup knows them all again."""

from __future__ import annotations

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
    """A worker who was forgotten, when, and whether money was given up."""

    worker_id: str
    waived: bool
    at: str


def file() -> Path:
    """Where the list is."""
    return Path(settings.RIGHTS_DIR or settings.DATA_DIR) / NAME


def entries() -> list[Entry]:
    """The list in order; a line that was cut off by a full disk is left out."""
    found = []
    for line in file().read_text(errors="replace").splitlines() if file().exists() else []:
        try:
            found.append(Entry(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found


def note(worker_id: str, *, waived: bool, now: datetime) -> None:
    """Write down that a worker is forgotten, before it takes effect; once.

    Raises AccountRefused when it cannot be written: then nothing is to happen that a restore would undo.
    """
    entry = Entry(worker_id, waived, now.isoformat())
    if any(known.worker_id == worker_id for known in entries()):
        return
    try:
        file().parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(file(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a") as lines:
            # Begun on a line of its own: the one before may have been cut off.
            lines.write(f"\n{json.dumps(asdict(entry))}\n")
            lines.flush()
            os.fsync(lines.fileno())
    except OSError as error:
        raise AccountRefused(
            f"The list of forgotten workers cannot be written: {error}",
            "Make room, or set PREFEREE_RIGHTS_DIR to a folder that can be written to. Nothing was changed.",
        ) from None
