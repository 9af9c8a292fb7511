"""The list of forgettings and withdrawals beside the database.

A backup that is put back knows nothing of what was asked for since. The list does: it names nobody, only our numbers,
and is kept apart from the backups' databases.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings

from config import clock
from judging.errors import CampaignRefused
from judging.models import Campaign, Worker

NAME = "rights.jsonl"


@dataclass(frozen=True)
class Entry:
    """What was asked for: ``forget`` or ``withdraw``, of which worker (``since``: made when), in which campaign."""

    what: str
    worker: int
    since: str
    campaign: str
    at: str

    @property
    def wish(self) -> tuple[str, int, str, str]:
        """All but when it was asked: asked again it is the same."""
        return self.what, self.worker, self.since, self.campaign


def file() -> Path:
    """Where the list is."""
    return Path(settings.RIGHTS_DIR or settings.DATA_DIR) / NAME


def entries() -> list[Entry]:
    """Every wish of the list once, in order; a line that a full disk cut off or damaged is left out."""
    if not file().exists():
        return []
    found: dict[tuple[str, int, str, str], Entry] = {}
    for line in file().read_text(errors="replace").splitlines():
        try:
            entry = Entry(**json.loads(line))
            datetime.fromisoformat(entry.since)
        except (ValueError, TypeError):
            continue
        found.setdefault(entry.wish, entry)
    return list(found.values())


def note(what: str, worker: Worker, campaign: Campaign | None = None) -> None:
    """Write a wish down, on disk before it takes effect; once, however often it is done again.

    Raises CampaignRefused when it cannot be written: then nothing is to happen that a restore would undo.
    """
    name = campaign.name if campaign else ""
    entry = Entry(str(what), worker.pk, worker.created_at.isoformat(), name, clock.now().isoformat())
    if entry.wish in {known.wish for known in entries()}:
        return
    try:
        file().parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(file(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a") as lines:
            # Begun on a line of its own: the one before may have been cut off.
            lines.write(f"\n{json.dumps(asdict(entry))}\n")
            lines.flush()
            os.fsync(lines.fileno())
    except OSError as error:
        raise CampaignRefused(
            f"The list of forgettings and withdrawals cannot be written: {error}",
            "Make room, or set PREFEREE_RIGHTS_DIR to a folder that can be written to. Nothing was changed.",
        ) from None
