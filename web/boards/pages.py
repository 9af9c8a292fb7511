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
from leaderboard.board.board_output import board_analysis
from leaderboard.board.boards import MEASURE, PublishedBoard, kept_leaderboard
from leaderboard.board.moves import RankMoves, rank_moves
from leaderboard.board.standings import BoardRow
from leaderboard.output import Figure
from leaderboard.scoring.chosen_runs import official_set
from pooling.models import Collection, QrelSet, Run
from tournament.models import QrelVersion
from tournament.services.publishing import version_numbered
from web.common.analysis_tables import run_places
from web.common.outdated_versions import Outdated
from web.common.visibility import hidden_queries, listed_runs

logger = logging.getLogger(__name__)
ROWS_A_PAGE = 50
#: Offered; the address may name any other that the measures module knows.
MEASURES = (
    MEASURE,
    "RR@100",
    "AP",
    "nDCG@10",
    "P@10",
    "R@100",
    "NCG@100",
    "ERR@20",
    "Success@10",
    "ESL@10",
    "Compat(p=0.95)",
)

#: A minus before the name sorts values best first: the highest, or the lowest if lower is better.
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
    """Places gained since the earlier version; None if it was not ranked there."""


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
    figures: tuple[Figure, ...] = ()
    places: dict[str, int] = field(default_factory=dict)
    moves: RankMoves | None = None
    """Moves since an earlier version; None if there is none."""
    text: str = ""
    """The text that run tags in ``page`` contain."""
    refusal: Refusal | None = None
    outdated: Outdated | None = None
    """Notice if the latest version no longer matches the judgments that count."""

    files: Mapping[str, str] = field(
        default_factory=lambda: {"csv": "CSV", "tex": "LaTeX", "md": "Markdown", "json": "JSON"}
    )

    @property
    def address(self) -> str:
        """Return the query string for files of this board."""
        version, official = self.version, self.official
        named = {"version": version and version.number, "official": official and official.name}
        measure = {"measure": self.measure} if self.measure != MEASURE else {}
        return urlencode(named | measure)


@dataclass(frozen=True)
class Wish:
    """The choices in the address. Invalid ones are ignored; an unknown version is refused."""

    version: int | None = None
    official: str | None = None
    sort: str = "-preference"
    page: str = "1"
    since: int | None = None
    text: str = ""
    measure: str = MEASURE

    @classmethod
    def of(cls, parameters: Any) -> Wish:
        """Parse a query string."""
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
    """Return the requested version's number, None for the latest; text that is not a number matches no version."""
    if not number:
        return None
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0


def published_board(collection: Collection, wish: Wish, user: Any) -> PublishedBoard:
    """Return the board as this person sees it. Raises a Refusal if there is none."""
    return kept_leaderboard(
        collection=collection,
        version=version_numbered(collection, wish.version),
        official=official_set(collection, wish.official),
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
    """Return one page of the board, or the reason why there is none; with ``moves`` since an earlier version."""
    versions = list(QrelVersion.objects.filter(collection=collection).order_by("-number").defer("manifest"))
    sets = list(QrelSet.objects.filter(collection=collection).order_by("name"))
    runs = {run.run_tag: run for run in listed_runs(collection, user)}
    hidden = hidden_queries(collection, user)
    try:
        version = version_numbered(collection, wish.version)
        official = official_set(collection, wish.official)
        published = kept_leaderboard(
            collection=collection,
            version=version,
            official=official,
            runs=list(runs.values()),
            measure=wish.measure,
            hidden=hidden,
        )
        since = _moves(version, versions, list(runs.values()), wish, hidden) if moves else None
    except NotNow as away:
        # The rest of the page still works. The reason names servers, so it goes to the log only.
        logger.warning("the leaderboard of %s cannot be made now: %s", collection.name, away)
        later = NotNow("The leaderboard is temporarily unavailable.", "Reload the page in a minute.")
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
        figures=board_analysis(published).figures,
        places=run_places(collection, runs),
        moves=since,
        text=wish.text,
        outdated=outdated,
    )


def _moves(
    version: QrelVersion, versions: Sequence[QrelVersion], runs: list[Run], wish: Wish, hidden: frozenset[str]
) -> RankMoves | None:
    """Return moves since the version in the address if it is an earlier one, else since the previous version."""
    earlier = {one.number: one for one in versions if one.number < version.number}
    before = earlier.get(wish.since or 0) or earlier.get(max(earlier, default=0))
    if before is None:
        return None
    return rank_moves(
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
    """Return a sort key that is higher for better values in either direction; a row without a value sorts last."""
    value: float = SORTS[column](row)
    return -math.inf if math.isnan(value) else direction * value
