"""A leaderboard as a page shows it: sorted, paginated, with its figures."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.urls import reverse

from config import clock
from config.background.errors import TooMuchAsked
from config.errors import NotNow, Refusal
from leaderboard.board.board_output import board_analysis
from leaderboard.board.boards import AskedBoard, PublishedBoard, kept_leaderboard
from leaderboard.board.default_measure import MEASURE, MEASURES, USUAL, default_measure, is_usual
from leaderboard.board.moves import RankMoves, rank_moves
from leaderboard.board.rounding import rounded_board
from leaderboard.errors import NoRuns
from leaderboard.output import Analysis, Figure
from leaderboard.output.team_columns import with_teams
from leaderboard.scoring.chosen_runs import board_version, official_set
from pooling.models import Collection, QrelSet, Run
from tournament.dois import doi_address
from tournament.models import QrelVersion
from tournament.services.version_dois import doi_of
from web.boards.board_choices import LABELS_ALONE, Wish
from web.boards.board_lines import BoardLine, board_lines
from web.boards.citations import bibtex_entry
from web.boards.filters import (
    COLUMNS,
    DETAIL_COLUMNS,
    HARMLESS,
    USUAL_COLUMNS,
    Filters,
    Offer,
    detail_of,
    details_in,
    offers,
)
from web.boards.harmless import harmless_places
from web.boards.jobs import drawing_work
from web.common.job_progress import Work
from web.common.label_sight import LabelSight, label_sight
from web.common.outdated_versions import Outdated
from web.common.visibility import hidden_queries, listed_runs, shown_runs
from web.errors import BoardBeingDrawn

logger = logging.getLogger(__name__)
ROWS_A_PAGE = 50


@dataclass(frozen=True)
class BoardView:
    """A leaderboard's page. Without a board, a job (``work``) computes it, or ``refusal`` says why there is none."""

    collection: Collection
    versions: list[QrelVersion]
    qrel_sets: list[QrelSet]
    version: QrelVersion | None = None
    official: QrelSet | None = None
    published: PublishedBoard | None = None
    page: Page[BoardLine] | None = None
    sort: str = "-preference"
    measure: str = MEASURE
    work: Work | None = None
    """The job that computes the board, if that takes a while."""
    measures: tuple[str, ...] = MEASURES
    figures: tuple[Figure, ...] = ()
    highest: float = 1.0
    """The highest upper bound of a value on the board, where the axis of the bars ends."""
    moves: RankMoves | None = None
    """The runs' moves since an earlier version; None without an earlier version."""
    filters: Filters = field(default_factory=Filters)
    offers: Sequence[Offer] = ()
    columns: Sequence[str] = tuple(USUAL_COLUMNS)
    refusal: Refusal | None = None
    outdated: Outdated | None = None
    """Notice if the latest version no longer matches the judgments that count."""
    doi: str = ""
    """The version's DOI, if it was deposited."""
    analysed: bool = True
    """Whether this person can see analyses under these labels."""
    compared: bool = True
    """Whether this person can compare runs query by query: there are at least two, and per-query values are shown."""

    files: Mapping[str, str] = field(
        default_factory=lambda: {"csv": "CSV", "tex": "LaTeX", "md": "Markdown", "json": "JSON"}
    )

    @property
    def perfect(self) -> float | None:
        """The perfect run's value under preference qrels, which the bars show for comparison."""
        rows = self.published.board.rows if self.published else ()
        return next((row.leading.value for row in rows if row.perfect), None)

    @property
    def found_runs(self) -> int:
        """The number of runs that match the filters, without the perfect run."""
        return sum(not line.row.perfect for line in self.all_lines)

    @property
    def some_private(self) -> bool:
        """Whether the page names a private run, which only members and its team see."""
        return any(line.run and line.run.release == Run.Release.PRIVATE for line in self.page or ())

    @property
    def can_be_scored(self) -> bool:
        """Whether there are labels and runs, which a board requires. Only members can add them."""
        return bool(self.qrel_sets) and not isinstance(self.refusal, NoRuns)

    @property
    def unsettled(self) -> bool:
        """Whether most runs may be overtaken by runs below them. The page then says so once, not per run."""
        return sum(line.may_pass > 0 for line in self.all_lines) * 2 > len(self.all_lines)

    @property
    def shallow_depth(self) -> int:
        """The depth of the deepest shown run if it is less than the measure's cutoff, else 0."""
        cutoff = self.published.asked.cutoff if self.published else None
        depth = max((line.run.report.get("depth", 0) for line in self.all_lines if line.run), default=0)
        return depth if cutoff and depth < cutoff else 0

    @property
    def all_lines(self) -> Sequence[BoardLine]:
        """The lines that match the filters, on all pages."""
        return list(self.page.paginator.object_list) if self.page else []

    @property
    def details(self) -> list[str]:
        """The headings of the chosen columns that describe runs."""
        return [DETAIL_COLUMNS[name] for name in details_in(self.columns)]

    @property
    def all_columns(self) -> Mapping[str, str]:
        """The columns that can be chosen, with their names; empty columns are left out."""
        without: tuple[str, ...] = () if self.version else ("official", "shift", "since", "judged")
        without = without if self.analysed else (*without, HARMLESS)
        if self.published is not None:
            without += ("answered",) if self.published.decimals is not None else ()
            without += () if self.published.tells_judged_tops else ("judged",)
        return {name: words for name, words in COLUMNS.items() if name not in without}

    @property
    def labels(self) -> str:
        """The name that other pages use for the labels that order the board."""
        return f"@{self.version.number}" if self.version else self.official.name if self.official else ""

    @property
    def address(self) -> str:
        """The query string that names this board in addresses of its files."""
        number = self.version.number if self.version else LABELS_ALONE
        named = {"version": number, "official": self.official and self.official.name}
        return urlencode(named | {"measure": self.measure})

    @property
    def figure_address(self) -> str:
        """The query string that names this board's figures, which show only runs that match the filters."""
        return "&".join(filter(None, (self.address, urlencode(self.filters.parameters))))

    @property
    def link(self) -> str:
        """The absolute address that always shows this board."""
        return (
            f"{settings.PUBLIC_URL}{reverse('web:leaderboard', args=[self.collection.name])}?{self.address}"
        )

    @property
    def doi_address(self) -> str:
        """The address that resolves the version's DOI."""
        return doi_address(self.doi)

    @property
    def picture(self) -> str:
        """The absolute address of the board's first figure, for previews of the link."""
        file = reverse("web:leaderboard_file", args=[self.collection.name, "png"])
        return f"{settings.PUBLIC_URL}{file}?{self.address}&of=panels"

    @property
    def bibtex(self) -> str:
        """A BibTeX entry for this board."""
        number = self.version.number if self.version else None
        labels = f"{self.official.name} labels" if self.official else "labels"
        about = f"version {number} of the preference qrels" if number else labels
        return bibtex_entry(
            key=f"{self.collection.name}-{f'v{number}' if number else 'labels'}",
            title=f"Leaderboard of {self.collection.title or self.collection.name}, {about}",
            year=(self.version.published_at if self.version else clock.now()).year,
            address=self.link,
            note=self._note,
            doi=self.doi,
        )

    @property
    def _note(self) -> str:
        software = self.published.software if self.published else ""
        manifest = f"; manifest SHA-256 {self.version.manifest_sha256}" if self.version else ""
        return f"Made with Preferee {software}{manifest}"


def published_board(collection: Collection, wish: Wish, user: Any) -> PublishedBoard:
    """Return the board as this person sees it, with the runs that they can see.

    Raises a Refusal if there is no board, NotNow if its job failed, and BoardBeingDrawn while a job computes it.
    """
    sight = label_sight(collection, user)
    asked = asked_board(collection, wish, user, sight)
    earlier = None
    if asked.version and not asked.is_there():
        versions = QrelVersion.objects.filter(collection=collection).defer("manifest")
        earlier = _earlier_version(asked, versions, wish, sight)
    again = "Repeat the request in a few seconds."
    try:
        work = drawing_work(asked, earlier)
    except TooMuchAsked:
        raise BoardBeingDrawn(
            "The leaderboard cannot be computed yet, because others of this collection are being computed.",
            again,
        ) from None
    if work:
        if work.failure:
            raise NotNow(str(work.failure))
        if work.idle:
            raise BoardBeingDrawn(f"The leaderboard is not computed yet. {work.idle}", again)
        so_far = f" ({work.progress})" if work.job and work.job.progress_total else ""
        raise BoardBeingDrawn(f"The leaderboard is being computed{so_far}.", again)
    return _board_as_seen(asked, sight)


def _board_as_seen(asked: AskedBoard, sight: LabelSight) -> PublishedBoard:
    """Return the board, rounded and reduced so that it reveals no labels that are withheld from this person."""
    official, version = asked.official, asked.version
    shown = sight.shows_set(official)
    told = version is None or sight.shows_labels(f"@{version.number}")
    published = kept_leaderboard(asked)
    queries = published.board.queries
    return rounded_board(
        published,
        official=sight.decimals(withheld=not shown, queries=queries),
        preference=sight.decimals(withheld=not told, queries=queries) if published.version else None,
        withheld=not shown,
        version_withheld=not told,
        any_withheld=bool(sight.withheld),
    )


def asked_board(
    collection: Collection, wish: Wish, user: Any, sight: LabelSight, runs: Sequence[Run] | None = None
) -> AskedBoard:
    """Return the parameters of the requested board, with the runs that this person can see. Raises a Refusal."""
    official = official_set(collection, wish.official)
    version = board_version(collection, wish.version, labels_alone=wish.labels_alone)
    measure = wish.measure or default_measure(collection)
    for name in (official.name, *([f"@{version.number}"] if version else [])):
        sight.require_usual(name, USUAL, asked=is_usual(measure))
    return AskedBoard(
        collection,
        version,
        official,
        list(listed_runs(collection, user)) if runs is None else runs,
        measure,
        hidden_queries(collection, user),
    )


def board_work(collection: Collection, wish: Wish, user: Any) -> Work | None:
    """Return the job that computes the board; None if no job is needed or the board is refused."""
    try:
        return drawing_work(asked_board(collection, wish, user, label_sight(collection, user)))
    except Refusal:
        return None


def board_view(
    collection: Collection, wish: Wish, user: Any, *, outdated: Outdated | None = None
) -> BoardView:
    """Return one page of the board with moves since an earlier version, or the job or refusal in place of a board."""
    versions = list(QrelVersion.objects.filter(collection=collection).order_by("-number").defer("manifest"))
    sets = list(QrelSet.objects.filter(collection=collection).order_by("name"))
    runs = {run.run_tag: run for run in listed_runs(collection, user)}
    sight = label_sight(collection, user)
    measure = wish.measure or default_measure(collection)
    try:
        asked = asked_board(collection, wish, user, sight, list(runs.values()))
        version, official = asked.version, asked.official
        earlier = _earlier_version(asked, versions, wish, sight)
        if work := drawing_work(asked, earlier):
            return BoardView(
                collection, versions, sets, version, official, sort=wish.sort, measure=measure, work=work
            )
        published = _board_as_seen(asked, sight)
        since = _moves_since(earlier, asked) if earlier else None
    except NotNow as away:
        # The rest of the page still works. The reason names servers, so it is only logged.
        logger.warning("the leaderboard of %s cannot be computed now: %s", collection.name, away)
        later = NotNow("The leaderboard is temporarily unavailable.", "Reload the page in a minute.")
        return BoardView(collection, versions, sets, sort=wish.sort, refusal=later)
    except Refusal as refusal:
        return BoardView(collection, versions, sets, sort=wish.sort, measure=measure, refusal=refusal)
    shown = shown_runs(collection, user, runs.values())
    analysis = narrowed_analysis(published, shown, wish.filters)
    leading = f"@{version.number}" if version else official.name
    harmless = HARMLESS in details_in(wish.columns)
    places = harmless_places(collection, user, labels=leading, measure=measure) if harmless else {}
    page = _page_of_lines(board_lines(published, shown, wish.sort, since), wish, places)
    return BoardView(
        collection,
        versions,
        sets,
        version=version,
        official=official,
        published=published,
        page=page,
        sort=wish.sort,
        measure=measure,
        figures=analysis.figures if analysis else (),
        highest=_highest_bound(published),
        moves=since,
        filters=wish.filters,
        offers=offers(shown.values(), wish.filters),
        columns=wish.columns,
        outdated=outdated,
        doi=doi_of(version) if version else "",
        analysed=sight.shows_labels(leading),
        compared=published.runs > 1 and sight.shows_queries(leading),
    )


def narrowed_analysis(
    published: PublishedBoard, shown: Mapping[str, Run], filters: Filters
) -> Analysis | None:
    """Return the table and figures limited to the runs that match the filters; None if no run does.

    ``shown``: run tag → run as this person sees it.
    """
    rows = tuple(row for row in published.board.rows if filters.fits(row.run, shown.get(row.run)))
    narrowed = replace(published, board=replace(published.board, rows=rows))
    if not narrowed.runs:
        return None
    analysis = board_analysis(narrowed, axes_of=published.board.rows)
    return with_teams(analysis, {tag: run.team for tag, run in shown.items()})


def _page_of_lines(lines: Iterable[BoardLine], wish: Wish, places: Mapping[str, int]) -> Page[BoardLine]:
    """Return the requested page of the matching lines, with the chosen columns; ``places`` are do-no-harm ranks."""
    kept = [line for line in lines if wish.filters.fits(line.row.run, line.run)]
    page: Page[BoardLine] = Paginator(kept, ROWS_A_PAGE).get_page(wish.page)
    details = details_in(wish.columns)
    page.object_list = [
        replace(line, said=tuple(detail_of(line.run, name, places) for name in details))
        for line in page.object_list
    ]
    return page


def _earlier_version(
    asked: AskedBoard, versions: Iterable[QrelVersion], wish: Wish, sight: LabelSight
) -> QrelVersion | None:
    """Return the earlier version that the address names, else the previous version; None if there is none.

    A version that would reveal withheld labels is left out if the measure is not a standard one, as on its own board.
    """
    if asked.version is None:
        return None
    earlier = {one.number: one for one in versions if one.number < asked.version.number}
    if not is_usual(asked.measure):
        earlier = {number: one for number, one in earlier.items() if sight.shows_labels(f"@{number}")}
    return earlier.get(wish.since or 0) or earlier.get(max(earlier, default=0))


def _moves_since(before: QrelVersion, asked: AskedBoard) -> RankMoves | None:
    """Return how the board's runs moved since an earlier version."""
    assert asked.version is not None
    return rank_moves(
        collection=asked.collection,
        before=before,
        after=asked.version,
        runs=asked.runs,
        measure=asked.measure,
        hidden=asked.hidden,
    )


def _highest_bound(published: PublishedBoard) -> float:
    """Return the highest upper bound on the board; 1 if nothing is above 0."""
    standings = [one for row in published.board.rows for one in (row.official, row.preference) if one]
    return max((one.high for one in standings if one.high > 0), default=1.0)
