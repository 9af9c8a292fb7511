"""The list of erasures and withdrawals, stored outside the database.

A restored backup does not contain requests made after it, but this list does. It identifies nobody, contains only our
numbers, and is kept apart from the databases' backups.
"""

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
    """A request: ``forget`` or ``withdraw``, the worker (created at ``since``), and the campaign."""

    what: str
    worker: int
    since: str
    campaign: str
    at: str

    @property
    def wish(self) -> tuple[str, int, str, str]:
        """Return everything except the time of the request, so that repeated requests are equal."""
        return self.what, self.worker, self.since, self.campaign


def journal_file() -> Path:
    return Path(settings.RIGHTS_DIR or settings.DATA_DIR) / NAME


def journal_entries() -> list[Entry]:
    """Return every distinct request in order, without lines damaged or cut off by a full disk."""
    if not journal_file().exists():
        return []
    found: dict[tuple[str, int, str, str], Entry] = {}
    for line in journal_file().read_text(errors="replace").splitlines():
        try:
            entry = Entry(**json.loads(line))
            datetime.fromisoformat(entry.since)
        except (ValueError, TypeError):
            continue
        found.setdefault(entry.wish, entry)
    return list(found.values())


def note_request(what: str, worker: Worker, campaign: Campaign | None = None) -> None:
    """Write a request to disk once, before it takes effect.

    Raises CampaignRefused if it cannot be written: a restore would then undo the change, so it must not be made.
    """
    name = campaign.name if campaign else ""
    entry = Entry(str(what), worker.pk, worker.created_at.isoformat(), name, clock.now().isoformat())
    if entry.wish in {known.wish for known in journal_entries()}:
        return
    try:
        journal_file().parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(journal_file(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a") as lines:
            # Start a new line in case the previous one was cut off.
            lines.write(f"\n{json.dumps(asdict(entry))}\n")
            lines.flush()
            os.fsync(lines.fileno())
    except OSError as error:
        raise CampaignRefused(
            f"The list of erasures and withdrawals cannot be written: {error}",
            "Free some disk space, or set PREFEREE_RIGHTS_DIR to a writable folder. Nothing was changed.",
        ) from None
