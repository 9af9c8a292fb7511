"""A leaderboard as a page shows it: sorted, cut into pages, with its figure."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator

from config.errors import NotNow, Refusal
from leaderboard import services as leaderboard
from leaderboard.board import BoardRow
from leaderboard.output.chart import chart_content
from leaderboard.output.drawing import FORMATS
from leaderboard.services import PublishedBoard, RankMoves
from leaderboard.services.board_output import against_chart
from leaderboard.services.boards import MEASURE
from pooling.models import Collection, QrelSet, Run
from tournament.models import QrelVersion
from web.figure import BoardFigure, FigureRow, board_figure
from web.services.analyses import run_places
from web.services.outdated import Outdated
from web.services.visibility import hidden_queries, listed_runs

logger = logging.getLogger(__name__)
ROWS_A_PAGE = 50
ROWS_IN_FIGURE = 300
#: Offered; the address may name any other that the measures module knows.
MEASURES = (
    MEASURE,
    "RR@100",
    "AP",
    "nDCG@10",
    "P@10",
    "NCG@100",
    "Success@10",
    "ESL@10",
    "Compat(p=0.95)",
)

#: A minus before the name is "best first" for values: the highest, or where lower is better the lowest.
SORTS: dict[str, Callable[[BoardRow], Any]] = {
    "run": lambda row: row.run.casefold(),
    "official": lambda row: row.official.value,
    "preference": lambda row: row.preference.value,
    "shift": lambda row: row.shift,
    "answered": lambda row: row.answered_preference,
    "judged": lambda row: row.judged_tops,
}


@dataclass(frozen=True)
class Line:
    """A row of the board, its run (None for the perfect run), and which of its values are best."""

    row: BoardRow
    run: Run | None
    best_official: bool
    best_preference: bool
    move: int | None = None
    """Places risen since the version that moves are shown against; None where it was not ranked."""


@dataclass(frozen=True)
class BoardView:
    """A board, or why there is none (``refusal``)."""

    collection: Collection
    versions: list[QrelVersion]
    qrel_sets: list[QrelSet]
    version: QrelVersion | None = None
    official: QrelSet | None = None
    published: PublishedBoard | None = None
    page: Page[Line] | None = None
    sort: str = "-preference"
    measure: str = MEASURE
    measures: tuple[str, ...] = MEASURES
    figure: BoardFigure | None = None
    charts: tuple[Mapping[str, Any], ...] = ()
    places: dict[str, int] = field(default_factory=dict)
    moves: RankMoves | None = None
    """Against an earlier version; None where there is none."""
    text: str = ""
    """What run tags contain, of those in ``page``."""
    refusal: Refusal | None = None
    outdated: Outdated | None = None
    """What is said of the latest version when it no longer equals what counts."""

    figures: tuple[tuple[str, str], ...] = (("panels", "both boards"), ("against", "one against the other"))
    pictures: tuple[str, ...] = FORMATS
    files: Mapping[str, str] = field(
        default_factory=lambda: {"csv": "CSV", "tex": "LaTeX", "md": "Markdown", "json": "JSON"}
    )

    @property
    def address(self) -> str:
        """What files of this board are asked for with, as a query string."""
        version, official = self.version, self.official
        named = {"version": version and version.number, "official": official and official.name}
        measure = {"measure": self.measure} if self.measure != MEASURE else {}
        return urlencode(named | measure)


@dataclass(frozen=True)
class Wish:
    """What the address asks for. What makes no sense is ignored; a version that is not there is refused."""

    version: int | None = None
    official: str | None = None
    sort: str = "-preference"
    page: str = "1"
    since: int | None = None
    text: str = ""
    measure: str = MEASURE

    @classmethod
    def of(cls, parameters: Any) -> Wish:
        """From an address's query string."""
        number = parameters.get("version", "")
        sort = parameters.get("sort", "")
        return cls(
            version=_version(number),
            official=parameters.get("official") or None,
            sort=sort if sort.removeprefix("-") in (*SORTS, "since") else "-preference",
            page=parameters.get("page", "1"),
            since=_version(parameters.get("since", "")),
            text=parameters.get("q", "").strip()[:200],
            measure=parameters.get("measure", "").strip()[:100] or MEASURE,
        )


def _version(number: str) -> int | None:
    """The version that is asked for, None for the latest; what is no number is no version that there is."""
    if not number:
        return None
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0


def published_board(collection: Collection, wish: Wish, user: Any) -> PublishedBoard:
    """The board as this person may see it; raises a Refusal when there is none."""
    return leaderboard.kept_leaderboard(
        collection=collection,
        version=leaderboard.version_numbered(collection, wish.version),
        official=leaderboard.official_set(collection, wish.official),
        runs=list(listed_runs(collection, user)),
        measure=wish.measure,
        hidden=hidden_queries(collection, user),
    )


def board_view(
    collection: Collection,
    wish: Wish,
    user: Any,
    *,
    rows_a_page: int = ROWS_A_PAGE,
    moves: bool = True,
    outdated: Outdated | None = None,
) -> BoardView:
    """One page of the board, or the reason why there is none; with ``moves`` since an earlier version."""
    versions = list(QrelVersion.objects.filter(collection=collection).order_by("-number").defer("manifest"))
    sets = list(QrelSet.objects.filter(collection=collection).order_by("name"))
    runs = {run.run_tag: run for run in listed_runs(collection, user)}
    hidden = hidden_queries(collection, user)
    try:
        version = leaderboard.version_numbered(collection, wish.version)
        official = leaderboard.official_set(collection, wish.official)
        published = leaderboard.kept_leaderboard(
            collection=collection,
            version=version,
            official=official,
            runs=list(runs.values()),
            measure=wish.measure,
            hidden=hidden,
        )
        since = _moves(version, versions, list(runs.values()), wish, hidden) if moves else None
    except NotNow as away:
        # The page may have more to show than the board. The reason names servers: it is for the log.
        logger.warning("the leaderboard of %s cannot be made now: %s", collection.name, away)
        later = NotNow("The leaderboard cannot be made at the moment.", "Reload the page in a minute.")
        return BoardView(collection, versions, sets, sort=wish.sort, refusal=later)
    except Refusal as refusal:
        return BoardView(collection, versions, sets, sort=wish.sort, measure=wish.measure, refusal=refusal)
    lines = _lines(published, runs, wish.sort, since)
    wanted = wish.text.casefold()
    lines = [line for line in lines if wanted in line.row.run.casefold()] if wanted else lines
    return BoardView(
        collection,
        versions,
        sets,
        version=version,
        official=official,
        published=published,
        page=Paginator(lines, rows_a_page).get_page(wish.page),
        sort=wish.sort,
        measure=wish.measure,
        figure=figure_of(published.board.rows),
        charts=(chart_content(against_chart(published, published.mean)),),
        places=run_places(collection, runs),
        moves=since,
        text=wish.text,
        outdated=outdated,
    )


def _moves(
    version: QrelVersion, versions: Sequence[QrelVersion], runs: list[Run], wish: Wish, hidden: frozenset[str]
) -> RankMoves | None:
    """Moves since the version that the address names, if it is an earlier one, else since the one before."""
    earlier = {one.number: one for one in versions if one.number < version.number}
    before = earlier.get(wish.since or 0) or earlier.get(max(earlier, default=0))
    if before is None:
        return None
    return leaderboard.rank_moves(
        collection=version.collection,
        before=before,
        after=version,
        runs=runs,
        measure=wish.measure,
        hidden=hidden,
    )


def _lines(published: PublishedBoard, runs: dict[str, Run], sort: str, moves: RankMoves | None) -> list[Line]:
    rows = published.board.rows
    column = sort.removeprefix("-")
    by_move = {row.run: (moves.move(row.run) or 0) if moves else 0 for row in rows}
    by = SORTS[column] if column != "since" else lambda row: by_move[row.run]
    if column in ("official", "preference"):
        by = partial(_goodness, column, 1 if published.higher_is_better else -1)
    ordered = sorted(rows, key=by, reverse=sort.startswith("-"))
    return [
        Line(
            row,
            runs.get(row.run) if not row.perfect else None,
            best_official=not row.perfect and row.rank_official == 1,
            best_preference=not row.perfect and row.rank_preference == 1,
            move=moves.move(row.run) if moves and not row.perfect else None,
        )
        for row in ordered
    ]


def _goodness(column: str, direction: int, row: BoardRow) -> float:
    """Higher for the better, whatever the measure's direction; a row without a value is the worst."""
    value: float = SORTS[column](row)
    return -math.inf if math.isnan(value) else direction * value


def figure_of(rows: Sequence[BoardRow]) -> BoardFigure:
    """The first rows by preference as a figure."""
    return board_figure(
        [
            FigureRow(
                name=row.run,
                official=(row.official.value, row.official.low, row.official.high),
                preference=(row.preference.value, row.preference.low, row.preference.high),
                rank_official=row.rank_official,
                rank_preference=row.rank_preference,
                perfect=row.perfect,
            )
            for row in rows[:ROWS_IN_FIGURE]
        ],
        left_out=max(0, len(rows) - ROWS_IN_FIGURE),
    )
