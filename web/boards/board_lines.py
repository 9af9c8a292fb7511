"""The lines of a leaderboard's page: rows with their runs, in the chosen order."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from leaderboard.board.boards import PublishedBoard
from leaderboard.board.moves import RankMoves
from leaderboard.board.standings import BoardRow, able_to_pass, best_as_shown
from pooling.models import Run

#: Column → sort key. A minus before the column's name sorts in descending order. Values are sorted by negated rank,
#: so that descending order puts the best run first.
SORTS: dict[str, Callable[[BoardRow], Any]] = {
    "run": lambda row: row.run.casefold(),
    "official": lambda row: -row.official.rank,
    "preference": lambda row: -row.leading.rank,
    "shift": lambda row: row.shift or 0,
    "answered": lambda row: row.leading.answered or 0.0,
    "judged": lambda row: row.judged_tops or 0.0,
}


@dataclass(frozen=True)
class BoardLine:
    """A row of the board, its run (None for the perfect run), and which of its values are best."""

    row: BoardRow
    run: Run | None
    best_official: bool
    best_preference: bool
    move: int | None = None
    """Ranks gained since the earlier version; None if the run was not ranked there."""
    may_pass: int = 0
    """How many lower runs would overtake this run if all their unjudged top passages were best answers."""
    said: tuple[str, ...] = ()
    """The text of each chosen column that describes the run."""


def board_lines(
    published: PublishedBoard, runs: dict[str, Run], sort: str, moves: RankMoves | None
) -> list[BoardLine]:
    """Return the board's rows sorted by the column ``sort``; ``runs``: run tag → run."""
    rows = published.board.rows
    column = sort.removeprefix("-")
    if column == "preference" and published.version is None:
        column = "official"
    exact = published.decimals is None
    may_pass = able_to_pass(rows) if published.higher_is_better and exact else {}
    by_move = {row.run: (moves.move(row.run) or 0) if moves else 0 for row in rows}
    by = SORTS[column] if column != "since" else lambda row: by_move[row.run]
    ordered = sorted(rows, key=by, reverse=sort.startswith("-"))
    best_official = best_as_shown(rows, "official")
    best_preference = best_as_shown(rows, "preference") if published.version is not None else frozenset()
    return [
        BoardLine(
            row,
            runs.get(row.run) if not row.perfect else None,
            best_official=row.run in best_official,
            best_preference=row.run in best_preference,
            move=moves.move(row.run) if moves and not row.perfect else None,
            may_pass=may_pass.get(row.run, 0),
        )
        for row in ordered
    ]
