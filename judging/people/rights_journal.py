"""The journal of erasures and withdrawals, a file outside the database.

A restored backup lacks the requests made after it, but this file has them. It identifies nobody, since it contains
only our own numbers, and it is kept apart from the backups of the databases.
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
    """A request to erase or withdraw a worker's data.

    ``what`` is ``forget``, ``retention`` or ``withdraw``. ``worker`` is our key of a worker who was created at
    ``since``. ``campaign`` is a name, empty unless the request is a withdrawal. ``at`` is the time of the request.
    """

    what: str
    worker: int
    since: str
    campaign: str
    at: str

    @property
    def wish(self) -> tuple[str, int, str, str]:
        """All fields except the time of the request. Repeated requests are equal in these fields."""
        return self.what, self.worker, self.since, self.campaign


def journal_file() -> Path:
    return Path(settings.RIGHTS_DIR or settings.DATA_DIR) / NAME


def journal_entries() -> list[Entry]:
    """Return the distinct requests in the journal, oldest first. Lines that are damaged or cut off are skipped."""
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
    """Add a request to the journal on disk before it takes effect, unless the journal already has it.

    Raises CampaignRefused if the file cannot be written. The request must not take effect then, because a restore
    would undo it.
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
