"""Differences between two versions: which queries changed, and why."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator

from config.errors import Refusal
from config.plurals import many
from leaderboard.board.default_measure import default_measure
from leaderboard.board.moves import rank_moves
from pooling.models import Collection, Passage, Query, Run
from tournament.models import QrelVersion, VersionQuery
from tournament.services import Cause, ChangeKind, Edition, QueryChange, causes, changes_between, edition_of
from tournament.services.passage_visibility import Sight, sight_of
from tournament.services.publication import queries_by_key
from web.common.label_sight import label_sight
from web.common.row_files import in_parts
from web.common.visibility import hidden_queries, listed_runs

CHANGES_A_PAGE = 50
MOVES_SHOWN = 10
WORDS = {
    ChangeKind.ANSWERS: "other best answers",
    ChangeKind.STATUS: "same best answers, other status",
    ChangeKind.ARRIVED: "newly covered",
    ChangeKind.LEFT: "no longer covered",
}


@dataclass(frozen=True)
class Side:
    """A query in one version.

    ``status``: empty if the version does not cover the query. ``best``: visible best answers. ``hidden``: number of
    others.
    """

    status: str
    best: list[Passage]
    hidden: int


@dataclass(frozen=True)
class ChangeLine:
    """A query on which the versions differ."""

    query: Query
    what: str
    words: str
    before: Side
    after: Side
    why: list[str]


@dataclass(frozen=True)
class RunMove:
    """A run whose rank differs between the versions."""

    run: Run
    before: int
    after: int

    @property
    def rose(self) -> int:
        """The number of ranks that the run rose; negative if it fell."""
        return self.before - self.after


@dataclass(frozen=True)
class Movement:
    """Rank changes of runs, over the queries that both versions cover.

    ``queries``: number of these queries. ``moved``: number of runs whose rank changed. ``shown``: the largest
    changes.
    """

    measure: str
    queries: int
    runs: int
    shown: list[RunMove]
    moved: int


@dataclass(frozen=True)
class Differences:
    """The differences between two versions that this person can see; rows are built page by page."""

    collection: Collection
    before: Edition | None
    after: Edition
    found: list[QueryChange]
    user: Any

    def counts(self) -> list[tuple[str, str, int]]:
        """Return (key, label, count) of each kind."""
        kinds = Counter(change.what for change in self.found)
        return [(str(what), words, kinds[what]) for what, words in WORDS.items()]

    def chosen(self, what: str, text: str) -> list[QueryChange]:
        """Return changes of one kind ("" for all) whose query contains the text or has it as its qid."""
        found = [change for change in self.found if not what or change.what == what]
        if not text:
            return found
        wanted = text.casefold()
        named = {
            query
            for query, qid, words in _queries_of(self.before, self.after, "qid", "text")
            if qid == text or wanted in words.casefold()
        }
        return [change for change in found if change.query in named]

    def lines(self, part: Sequence[QueryChange], *, texts: bool = True) -> list[ChangeLine]:
        """Return these changes with passages and reasons, in a fixed number of database queries.

        ``texts``: whether to include the texts of passages, which long files omit.
        """
        queries = {query.pk: query for query in queries_by_key(change.query for change in part)}
        keys = {key for change in part for key in change.before | change.after}
        rows = Passage.objects.all() if texts else Passage.objects.defer("text")
        passages = rows.in_bulk(keys)
        why = causes(self.before, self.after, [(query.pk, query.qid) for query in queries.values()])
        brought = {pid for cause in why.values() for pid in (*cause.challengers, *cause.twins)}
        known = Passage.objects.filter(collection=self.collection, pid__in=brought)
        key_of = dict(known.values_list("pid", "pk"))
        asked = keys.union(key_of.values())
        sight = sight_of(self.collection, list(queries.values()), self.user, passages=asked)
        told = _CauseWords(sight, key_of)
        return [
            ChangeLine(
                query=queries[change.query],
                what=str(change.what),
                words=WORDS[change.what],
                before=_shown_side(change.query, change.status_before, change.before, passages, sight),
                after=_shown_side(change.query, change.status_after, change.after, passages, sight),
                why=told.reasons(change, why[change.query]),
            )
            for change in part
        ]

    def every_line(self, part: Sequence[QueryChange]) -> Iterator[ChangeLine]:
        """Yield the lines of any number of changes, in batches."""
        for some in in_parts(part):
            yield from self.lines(some, texts=False)


def version_differences(version: QrelVersion, since: QrelVersion | None, user: Any) -> Differences:
    """Return the differences between ``since`` and ``version``; if ``since`` is None, every query is a difference."""
    before = edition_of(since) if since else None
    after = edition_of(version)
    hidden = hidden_queries(version.collection, user)
    found = changes_between(before, after)
    place = {
        query: position
        for query, position, qid in _queries_of(before, after, "position", "qid")
        if qid not in hidden
    }
    told = {"closed", "singleton"} if label_sight(version.collection, user).withheld else set[str]()
    shown = [
        change
        for change in found
        if change.query in place
        # Under withheld labels, singletons and closed queries are both shown as closed.
        and not (change.what == ChangeKind.STATUS and {change.status_before, change.status_after} == told)
    ]
    shown.sort(key=lambda change: (place[change.query], change.query))
    return Differences(version.collection, before, after, shown, user)


def _queries_of(before: Edition | None, after: Edition, *columns: str) -> Iterable[tuple[Any, ...]]:
    """Return a row with the query's key and columns, for each version that covers it."""
    numbers = [edition.number for edition in (before, after) if edition]
    covered = VersionQuery.objects.filter(version__collection=after.collection, version__number__in=numbers)
    return covered.values_list("query_id", *(f"query__{column}" for column in columns))


def changes_page(
    version: QrelVersion, since: QrelVersion | None, user: Any, parameters: Any
) -> dict[str, Any]:
    """Return the data of the page that compares two versions."""
    told = version_differences(version, since, user)
    what = parameters.get("show", "")
    what = what if what in set(map(str, ChangeKind)) else ""
    text = parameters.get("q", "").strip()
    page: Page[QueryChange] = Paginator(told.chosen(what, text), CHANGES_A_PAGE).get_page(
        parameters.get("page")
    )
    versions = QrelVersion.objects.filter(collection=version.collection).order_by("-number")
    return {
        "collection": version.collection,
        "version": version,
        "since": since,
        "versions": versions.defer("manifest"),
        "counts": told.counts(),
        "total": len(told.found),
        "chosen": what,
        "found": text,
        "page": page,
        "lines": told.lines(list(page.object_list)),
        "board": board_movement(version, since, user) if since else None,
    }


def board_movement(version: QrelVersion, since: QrelVersion, user: Any) -> Movement | None:
    """Return how the runs' ranks differ between the versions; None if they cannot be ranked under both."""
    runs = list(listed_runs(version.collection, user))
    measure = default_measure(version.collection)
    try:
        moves = rank_moves(
            collection=version.collection,
            before=since,
            after=version,
            runs=runs,
            measure=measure,
            hidden=hidden_queries(version.collection, user),
        )
    except Refusal:
        return None
    if not moves.ranks:
        return None
    moved = [RunMove(run, *moves.ranks[run.run_tag]) for run in runs if moves.move(run.run_tag)]
    moved.sort(key=lambda one: (-abs(one.rose), one.after, one.run.run_tag))
    return Movement(measure, moves.queries, len(moves.ranks), moved[:MOVES_SHOWN], len(moved))


@dataclass(frozen=True)
class _CauseWords:
    """Words for the causes of changes. For non-members, runs that are not public are counted, not named."""

    sight: Sight
    key_of: dict[str, int]

    def reasons(self, change: QueryChange, cause: Cause) -> list[str]:
        query, said = change.query, list[str]()
        if change.what == ChangeKind.ARRIVED and self.sight.hides_singletons:
            return said  # the lack of judgments would show which queries are singletons
        if cause.campaigns:
            said.append(f"decided by campaign {cause.campaigns[1]}, previously by {cause.campaigns[0]}")
        if cause.challengers:
            what = many(len(cause.challengers), "new passage")
            said.append(self._challenged(query, cause, what, cause.challengers))
        if cause.twins:
            what = f"{many(len(cause.twins), 'passage')} with the same text as a best answer"
            said.append(self._challenged(query, cause, what, cause.twins))
        if cause.judgments_new:
            said.append(many(cause.judgments_new, "new judgment"))
        if cause.judgments_gone:
            said.append(_lost_judgments_words(cause))
        return said + [f"{what}: {after}, previously {before}" for what, before, after in cause.rules]

    def _challenged(self, query: int, cause: Cause, what: str, pids: Sequence[str]) -> str:
        tags = self._tags(query, pids).intersection(cause.run_tags) or set(cause.run_tags)
        shown = sorted(tag for tag in tags if self.sight.everything or self.sight.names(tag))
        others = len(tags) - len(shown)
        named = [*shown, *([f"{many(others, 'run that is', 'runs that are')} not public"] if others else [])]
        which = "challenges" if len(cause.challenges) > 1 else "challenge"
        return f"{which} {', '.join(map(str, cause.challenges))} added {what}, with {', '.join(named)}"

    def _tags(self, query: int, pids: Sequence[str]) -> set[str]:
        """Return the tags of the known runs that had one of these passages on top for the query."""
        runs = self.sight.runs
        return {
            runs[run].run_tag
            for pid in pids
            for run in self.sight.suppliers.get((query, self.key_of.get(pid, 0)), ())
            if run in runs
        }


def _lost_judgments_words(cause: Cause) -> str:
    parts = [
        many(cause.excluded, "excluded worker") if cause.excluded else "",
        f"{many(cause.withdrew, 'worker')} who withdrew them" if cause.withdrew else "",
    ]
    of = " and ".join(part for part in parts if part)
    counts = "counts" if cause.judgments_gone == 1 else "count"
    return f"{many(cause.judgments_gone, 'judgment')}{f' of {of}' if of else ''} no longer {counts}"


def _shown_side(
    query: int, status: str, best: frozenset[int], passages: dict[int, Passage], sight: Sight
) -> Side:
    shown = [passages[key] for key in best if sight.sees(query, key)]
    return Side(sight.status(status), sorted(shown, key=lambda one: one.pid), len(best) - len(shown))
