"""Describe many runs at once, including runs whose files have not arrived yet."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import transaction

from config.plurals import many
from pooling.collections.members import log
from pooling.errors import InvalidFile, PoolingError
from pooling.files.run_tables import DescribedRun, read_run_metadata
from pooling.models import AnnouncedRun, Collection, Run
from pooling.rules.run_details import KnownRun
from pooling.runs.run_descriptions import describe_run
from pooling.teams.run_fields import ANNOUNCED, known_details

MOST_BYTES = 20_000_000


@dataclass(frozen=True)
class DescribedRuns:
    """Tags of the runs that a metadata file described, announced or left unchanged.

    ``changes``: run tag → name of a field or detail → new value, for the described and announced runs.
    """

    described: tuple[str, ...]
    announced: tuple[str, ...]
    unchanged: tuple[str, ...]
    changes: dict[str, dict[str, Any]]

    @property
    def in_words(self) -> list[str]:
        """One line for each run that changes: its tag and its new values."""
        return [f"{tag}: {_values_in_words(new)}" for tag, new in self.changes.items()]


def _values_in_words(new: Mapping[str, Any]) -> str:
    yes_no = {True: "yes", False: "no"}
    flat = {key: value for key, value in new.items() if not isinstance(value, dict)}
    for value in new.values():
        flat |= value if isinstance(value, dict) else {}  # Reported values have the names of measures.
    words = [f"{key} {yes_no[value] if isinstance(value, bool) else value}" for key, value in flat.items()]
    return "; ".join(words) or "no details"


def import_run_metadata(
    *,
    collection: Collection,
    text: str,
    name: str,
    is_measure: Callable[[str], bool],
    who: str,
    dry_run: bool = False,
) -> DescribedRuns:
    """Describe every run in a table, all or none. The description of a run without a file is stored as announced.

    Empty cells change nothing. Raises InvalidFile, which names the line. With ``dry_run``, nothing is stored.
    """
    if len(text) > MOST_BYTES:
        raise InvalidFile(name, 0, "the file is larger than 20 MB.", "Split it.")
    rows = read_run_metadata(text, name=name, known=known_details(collection), is_measure=is_measure)
    runs = {
        run.run_tag: run for run in Run.objects.filter(collection=collection).select_related("collection")
    }
    before = {one.run_tag: one for one in AnnouncedRun.objects.filter(collection=collection)}
    changed: dict[str, list[str]] = {"described": [], "announced": [], "unchanged": []}
    changes: dict[str, dict[str, Any]] = {}
    with transaction.atomic():
        for row in rows:
            if row.run_tag in runs:
                outcome, new = "described", _describe_from_row(runs[row.run_tag], row, name, who)
            else:
                outcome, new = "announced", _announce_from_row(collection, row, before.get(row.run_tag))
            changed["unchanged" if new is None else outcome].append(row.run_tag)
            if new is not None:
                changes[row.run_tag] = new
        if changed["announced"] and not dry_run:
            said = f"{many(len(changed['announced']), 'run')} announced from {name}"
            log(collection, said[:300], who=who)
        transaction.set_rollback(dry_run)
    return DescribedRuns(**{key: tuple(tags) for key, tags in changed.items()}, changes=changes)


def _describe_from_row(run: Run, row: DescribedRun, name: str, who: str) -> dict[str, Any] | None:
    """Change the run's description as the row says. Return the new values, or None if the row changes nothing."""
    said = {key: value for key, value in row.fields.items() if value not in ("", None)}
    details = {key: value for key, value in row.details.items() if value is not None}
    new = {key: value for key, value in details.items() if run.details.get(key) != value}
    changed = _json_ready({key: value for key, value in said.items() if getattr(run, key) != value})
    if not changed and not new:
        return None
    try:
        describe_run(run=run, changes=said | ({"details": new} if new else {}), who=who)
    except PoolingError as refusal:
        raise InvalidFile(name, row.line, refusal.message, str(refusal.next_step)) from None
    return changed | new


def _json_ready(said: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value.isoformat() if isinstance(value, date) else value for key, value in said.items()}


def _announce_from_row(
    collection: Collection, row: DescribedRun, before: AnnouncedRun | None
) -> dict[str, Any] | None:
    """Store the row as the run's announcement. Return the new values, or None if the row changes nothing."""
    told = before.said if before else {}
    fields = _json_ready({key: value for key, value in row.fields.items() if value not in ("", None)})
    given = {key: value for key, value in row.details.items() if value is not None}
    known = told.get("details", {})
    said = told | fields | {"details": known | given}
    if before is not None and told == said:
        return None
    AnnouncedRun.objects.update_or_create(
        collection=collection, run_tag=row.run_tag, defaults={"said": said, "run": None}
    )
    new = {key: value for key, value in fields.items() if told.get(key) != value}
    return new | {key: value for key, value in given.items() if known.get(key) != value}


def withdraw_announcements(*, collection: Collection, run_tags: Sequence[str], who: str) -> int:
    """Withdraw announcements of runs whose files have not arrived; return how many there were."""
    with transaction.atomic():
        waiting = AnnouncedRun.objects.filter(collection=collection, run=None, run_tag__in=run_tags)
        gone = waiting.delete()[0]
        if gone:
            log(collection, f"{many(gone, 'announced run')} withdrawn", who=who)
    return gone


def known_runs(runs: Iterable[Run], announced: Iterable[AnnouncedRun] = ()) -> list[KnownRun]:
    """Return runs, and announced runs that are not among them, as :class:`KnownRun`, sorted by tag."""
    found = [KnownRun(run.run_tag, run.team, run.baseline, dict(run.details), arrived=True) for run in runs]
    tags = {one.run_tag for one in found}
    for one in announced:
        if one.run_tag not in tags:
            said = ANNOUNCED | one.said
            found.append(KnownRun(one.run_tag, said["team"], said["baseline"], said.get("details", {})))
    return sorted(found, key=lambda one: one.run_tag)
