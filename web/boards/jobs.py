"""Jobs that draw leaderboards: in advance, or because somebody opened one that takes seconds."""

from datetime import timedelta
from typing import Any

from config import clock
from config.background.job_kinds import Progress, job_kind
from config.background.models import Job
from config.background.services import nobody_at_work, start, start_for
from config.errors import NotNow, Refusal
from leaderboard.board.boards import AskedBoard
from leaderboard.board.moves import rank_moves
from pooling.models import Collection, Qrel, QrelSet, Run
from tournament.models import QrelVersion
from web.boards import kept_boards
from web.common.job_progress import Work

BOARDS = "web.keep_boards"
BOARD = "web.draw_board"
#: Boards with at least this many values (runs × queries) are drawn by a job: about two seconds of work.
MANY_VALUES = 1_000_000
#: How long a page reports a failed job before it starts another one. For the same time, the page itself draws a board
#: that a job drew but the cache lost.
JUST_ENDED = timedelta(minutes=1)


@job_kind(BOARDS, wanted=kept_boards.has_boards_to_draw, words="drawing leaderboards")
def keep_boards_job(*, progress: Progress) -> dict[str, Any]:
    """Draw the latest leaderboards that are missing, so that no visitor waits after new runs or versions."""
    return {"boards": kept_boards.keep_boards(progress)}


@job_kind(BOARD, max_attempts=2, words="drawing a leaderboard")
def draw_board_job(
    *,
    collection_id: int,
    version: int | None,
    official: int,
    measure: str,
    runs: list[int],
    hidden: list[str],
    before: int | None,
    progress: Progress,
) -> dict[str, Any]:
    """Draw a leaderboard and the rank moves since version ``before``, and cache both. Cache a refusal, too."""
    board = AskedBoard(
        Collection.objects.get(pk=collection_id),
        QrelVersion.objects.get(pk=version) if version else None,
        QrelSet.objects.get(pk=official),
        list(Run.objects.filter(pk__in=runs).order_by("run_tag")),
        measure,
        frozenset(hidden),
    )
    if board.is_there():  # while a board is drawn, waiting pages can start this job again
        return {}
    try:
        if before and board.version:
            rank_moves(
                collection=board.collection,
                before=QrelVersion.objects.get(pk=before),
                after=board.version,
                runs=board.runs,
                measure=measure,
                hidden=board.hidden,
            )
        board.keep(lambda done, total: progress(done, total, "Scoring runs"))
    except NotNow:
        raise
    except Refusal:
        board.mark_undrawable()
    return {}


def drawing_work(board: AskedBoard, before: QrelVersion | None = None) -> Work | None:
    """Return the job that draws the board, started if need be; None if a page can draw or show it at once.

    ``before``: the version since which the page shows moves.
    """
    if board.is_there():
        return None
    covered = Qrel.objects.filter(qrel_set=board.official).values("query").distinct().count()
    if len(board.runs) * covered < MANY_VALUES or nobody_at_work():
        return None
    last = Job.objects.filter(kind=BOARD, key=board.key).order_by("-pk").first()
    if last and (last.finished_at or clock.now()) > clock.now() - JUST_ENDED:
        if last.state == Job.State.FAILED:
            return Work(last)
        if last.state == Job.State.DONE:
            return None
    arguments = _board_arguments(board) | {"before": before and before.pk}
    return Work(start_for(BOARD, key=board.key, arguments=arguments))


def _board_arguments(board: AskedBoard) -> dict[str, Any]:
    return {
        "collection_id": board.collection.pk,
        "version": board.version and board.version.pk,
        "official": board.official.pk,
        "measure": board.measure,
        "runs": [run.pk for run in board.runs],
        "hidden": sorted(board.hidden),
    }


def ring_for_boards() -> Job:
    """Start drawing the latest leaderboards."""
    return start(BOARDS)
