"""Jobs that draw leaderboards in advance."""

from __future__ import annotations

from typing import Any

from config.background.job_kinds import Progress, job_kind
from config.background.models import Job
from config.background.services import start
from web.boards import kept_boards

BOARDS = "web.keep_boards"


@job_kind(BOARDS, wanted=kept_boards.something_lacks, words="drawing leaderboards")
def keep_boards_job(*, progress: Progress) -> dict[str, Any]:
    """Draw the latest leaderboards that are missing, so that no visitor waits after new runs or versions."""
    return {"boards": kept_boards.keep_boards(progress)}


def ring_for_boards() -> Job:
    """Start drawing the latest leaderboards."""
    return start(BOARDS)
