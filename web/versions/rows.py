"""Rows for files of versions: queries, changes, a query's passages and judgments, in the form that pages show."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from judging.people.anonymity import month_of
from pooling.models import Query
from tournament.models import QrelVersion
from tournament.services import ChangeKind
from web.common.row_files import Rows, in_parts
from web.versions import query_results, version_changes as version_changes
from web.versions.pages import QueryLine, Wish, asked_queries, query_lines

QUERIES = ["qid", "query", "status", "tied", "cycle", "beaten", "changed", "carried", "best", "not_released"]
CHANGES = [
    "qid",
    "query",
    "what",
    "status_before",
    "status_after",
    "best_before",
    "best_after",
    "not_released_before",
    "not_released_after",
    "why",
]
PASSAGES = ["letter", "pid", "best", "propagated", "official", "grade", "wins", "judgments", "runs", "text"]
JUDGMENTS = ["left", "right", "preferred", "judge", "judge_kind", "phase", "time", "counts", "why_not"]


def query_rows(version: QrelVersion, user: Any, parameters: Any) -> Rows:
    """Return the version's filtered queries as rows; ``best`` has the pids that the person can see."""
    asked = asked_queries(version, Wish.of(parameters), user)
    keys = list(asked.values_list("pk", flat=True))

    def made() -> Iterator[dict[str, Any]]:
        for part in in_parts(keys):
            yield from map(query_row, query_lines(version, list(asked.filter(pk__in=part)), user))

    return Rows(f"{version.collection.name}-version-{version.number}-queries", QUERIES, made())


def query_row(line: QueryLine) -> dict[str, Any]:
    """Return a query of a version as a row; ``not_released`` counts best answers that the person cannot see."""
    row = line.row
    return {
        "qid": row.query.qid,
        "query": row.query.text,
        "status": row.status,
        **{name: bool(getattr(row, name)) for name in ("tied", "cycle", "beaten", "changed", "carried")},
        "best": line.best,
        "not_released": line.hidden,
    }


def change_rows(version: QrelVersion, since: QrelVersion | None, user: Any, parameters: Any) -> Rows:
    told = version_changes.version_differences(version, since, user)
    show = parameters.get("show", "")
    part = told.chosen(show if show in set(map(str, ChangeKind)) else "", parameters.get("q", "").strip())
    since_number = f"-since-{since.number}" if since else ""
    stem = f"{version.collection.name}-version-{version.number}{since_number}-changes"
    return Rows(
        stem, CHANGES, (change_row(line) | {"why": "; ".join(line.why)} for line in told.every_line(part))
    )


def change_row(line: version_changes.ChangeLine) -> dict[str, Any]:
    """Convert a query that differs between two versions to a table row, with the reasons."""
    return {
        "qid": line.query.qid,
        "query": line.query.text,
        "what": line.what,
        "status_before": line.before.status,
        "status_after": line.after.status,
        "best_before": [passage.pid for passage in line.before.best],
        "best_after": [passage.pid for passage in line.after.best],
        "not_released_before": line.before.hidden,
        "not_released_after": line.after.hidden,
        "why": line.why,
    }


def passage_rows(version: QrelVersion, query: Query, user: Any) -> Rows:
    """Return a query's passages as rows. The pid and text of unreleased passages are empty."""
    page = query_results.query_page(version, query, user)
    rows = [
        {
            "letter": line.letter,
            "pid": line.passage.pid if line.shown else "",
            "best": line.best,
            "propagated": line.propagated,
            "official": line.official,
            "grade": line.grade,
            "wins": line.wins,
            "judgments": line.compared,
            "runs": [run.run_tag for run in line.runs],
            "text": (line.passage.text or "") if line.shown else "",
        }
        for line in page["lines"]
    ]
    return Rows(_file_stem(version, query, "passages"), PASSAGES, rows)


def judgment_rows(version: QrelVersion, query: Query, user: Any) -> Rows:
    """Return a query's judgments as rows, by passage letters. Judges have names that are specific to this file."""
    page = query_results.query_page(version, query, user, judgments_shown=None)
    rows = [
        {
            "left": line.left,
            "right": line.right,
            "preferred": line.preferred,
            "judge": line.judge,
            "judge_kind": line.judgment.judge_kind,
            "phase": line.judgment.phase,
            "time": _shown_time(line.judgment.judged_at, exact=page["sees_everything"]),
            "counts": line.counts,
            "why_not": line.why_not,
        }
        for line in page["judgments"]
    ]
    return Rows(_file_stem(version, query, "judgments"), JUDGMENTS, rows)


def _shown_time(moment: datetime | None, *, exact: bool) -> str:
    """Return the exact time for members, else the month: others could link a worker's judgments across queries."""
    if not exact:
        return month_of(moment)
    return moment.isoformat() if moment else ""


def _file_stem(version: QrelVersion, query: Query, what: str) -> str:
    return f"{version.collection.name}-version-{version.number}-query-{query.pk}-{what}"
