"""Draw leaderboards in advance, because drawing hundreds of runs takes seconds."""

from collections.abc import Iterator

from config.background.job_kinds import Progress
from config.errors import NotNow, Refusal
from leaderboard.board.boards import AskedBoard
from leaderboard.board.default_measure import default_measure
from leaderboard.scoring.chosen_runs import official_set
from pooling.models import Collection, Run
from pooling.services.query_splits import private_qids
from tournament.models import QrelVersion


def has_boards_to_draw() -> bool:
    """Return whether a visitor would have to wait for the board now."""
    return next(_boards_to_draw(), None) is not None


def keep_boards(progress: Progress) -> int:
    """Draw the missing boards and compute the values behind them. Return how many boards were checked."""
    lacking = list(_boards_to_draw())
    for done, board in enumerate(lacking):
        progress(done, len(lacking), f"Drawing the leaderboard of {board.collection.name}")
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
    """Yield every collection's default board, as its members and as everyone else see it."""
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
