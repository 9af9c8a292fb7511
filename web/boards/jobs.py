"""Jobs that compute leaderboards: in advance, or because somebody opened a board that takes seconds."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from config import clock
from config.background.job_kinds import Progress, job_kind
from config.background.models import Job
from config.background.services import start, start_for
from config.errors import NotNow, Refusal
from leaderboard.board.boards import AskedBoard
from leaderboard.board.default_measure import default_measure
from leaderboard.board.moves import rank_moves
from leaderboard.scoring.chosen_runs import official_set
from pooling.labels.query_splits import private_qids
from pooling.models import Collection, Qrel, QrelSet, Run
from tournament.models import QrelVersion
from web.common.job_progress import Work

BOARDS = "web.keep_boards"
BOARD = "web.draw_board"
#: Boards with at least this many values (runs × queries) are computed by a job: about two seconds of work.
MANY_VALUES = 1_000_000
#: How long a page reports a failed job before it starts another one. For the same time after a successful job, the
#: page computes the board itself if the cache has lost it.
JUST_ENDED = timedelta(minutes=1)


def has_boards_to_draw() -> bool:
    """Return whether a collection's default board is missing, so that its visitors would have to wait."""
    return next(_boards_to_draw(), None) is not None


def keep_boards(progress: Progress) -> int:
    """Compute the default boards that are missing, and the values behind them. Return how many were missing."""
    lacking = list(_boards_to_draw())
    for done, board in enumerate(lacking):
        progress(done, len(lacking), f"Computing the leaderboard of {board.collection.name}")
        try:
            board.keep()
        except NotNow:
            raise
        except Refusal:
            board.mark_undrawable()
    return len(lacking)


def _boards_to_draw() -> Iterator[AskedBoard]:
    return (board for board in _default_boards() if not board.is_there())


def _default_boards() -> Iterator[AskedBoard]:
    """Yield every collection's default board: as members see it and, if published, as everyone else sees it."""
    versions = QrelVersion.objects.defer("manifest")
    latest = {version.collection_id: version for version in versions.order_by("number")}
    for collection in Collection.objects.filter(runs__isnull=False, qrel_sets__isnull=False).distinct():
        version = latest.get(collection.pk)
        runs = list(Run.objects.filter(collection=collection).order_by("run_tag"))
        try:
            official = official_set(collection)
        except Refusal:
            continue
        sights = [(runs, frozenset[str]())]
        if collection.visibility == Collection.Visibility.PUBLISHED:
            listed = list(Run.objects.released().filter(collection=collection).order_by("run_tag"))
            sights.append((listed, private_qids(collection)))
        measure = default_measure(collection)
        boards = [
            AskedBoard(collection, version, official, shown, measure, hidden) for shown, hidden in sights
        ]
        yield from {board.key: board for board in boards if board.runs}.values()


@job_kind(BOARDS, wanted=has_boards_to_draw, words="computing leaderboards")
def keep_boards_job(*, progress: Progress) -> dict[str, Any]:
    """Compute the default leaderboards that are missing, so that no visitor waits after new runs or versions."""
    return {"boards": keep_boards(progress)}


@job_kind(BOARD, max_attempts=2, words="computing a leaderboard")
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
    """Compute a leaderboard and the rank moves since version ``before``, and cache both. Cache a refusal, too."""
    board = AskedBoard(
        Collection.objects.get(pk=collection_id),
        QrelVersion.objects.get(pk=version) if version else None,
        QrelSet.objects.get(pk=official),
        list(Run.objects.filter(pk__in=runs).order_by("run_tag")),
        measure,
        frozenset(hidden),
    )
    if board.is_there():  # while a board is computed, waiting pages can start this job again
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
    """Return the job that computes the board, and start it if needed.

    Return None if the page gets the board without a job: it is cached or small, or a job computed it within
    ``JUST_ENDED``. A job that failed within this time is returned, not started again.
    ``before``: the version with which the page compares ranks.
    """
    if board.is_there():
        return None
    covered = Qrel.objects.filter(qrel_set=board.official).values("query").distinct().count()
    if len(board.runs) * covered < MANY_VALUES:
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
    """Start the job that computes the default leaderboards that are missing."""
    return start(BOARDS)
