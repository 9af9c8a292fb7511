"""Check run files and store them as runs of a collection."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction

from config.background import events
from config.guidance import Guidance, Option
from pooling.collections.lookups import known_qids, runs_tagged
from pooling.collections.members import log
from pooling.errors import BucketAway, BucketRefused, PoolingError, SameRun, SubmissionRefused
from pooling.files import trec
from pooling.files.formats import Content, Progress
from pooling.files.line_blocks import LONGEST
from pooling.models import AnnouncedRun, Collection, Run
from pooling.rules.run_details import read_details
from pooling.runs.candidate_sets import refuse_outside_candidates
from pooling.runs.run_problems import each_refusal
from pooling.storage import ranking_files
from pooling.storage.decompressed_size import run_content_of
from pooling.teams.rounds import Entry
from pooling.teams.run_fields import complete_from_announcement, known_details
from pooling.teams.submission_policies import hold_to_policy, refuse_against_policy

_ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".zstd", ".txt", ".tsv", ".run", ".trec", ".res")


#: The event that a run file was checked, and imported or refused (or neither, if only a check was requested).
RUN_CHECKED = "run.checked"


@dataclass(frozen=True)
class RunFacts:
    """Facts about a run that its file does not contain."""

    team: str = ""
    description: str = ""
    paper: str = ""
    code: str = ""
    submitted_on: date | None = None
    baseline: bool = False
    release: str = "private"
    """The release level. Releasing a run is a separate decision, because released data may be copied."""
    variant_of: str = ""
    """Tag of the run from which it differs only by hyperparameters or seed."""
    anonymous_until: date | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    """Structured details, by the names of pooling.rules.run_details and of the collection's own fields."""


@dataclass(frozen=True)
class CheckedRun:
    """A run file that passed every check, and its run tag."""

    content: Content
    file: trec.RunFile
    run_tag: str


def check_run(
    content: Content,
    *,
    collection: Collection | None = None,
    order: str = "",
    run_tag: str = "",
    skip_unknown: bool = False,
) -> CheckedRun:
    """Run the checks of an import that need only the file and the collection, without importing.

    The submission policy, rounds and candidates are not checked. Raises InvalidFile, AlreadyImported if the
    collection has a run with this content or tag, and PoolingError for an invalid tag.
    """
    file = trec.read_run_file(
        content,
        known_qids=None if collection is None else known_qids(collection),
        skip_unknown=skip_unknown,
        order=order,
        max_depth=collection.max_run_depth if collection else None,
    )
    return _checked_run(content, collection, file, run_tag)


def import_run(
    *,
    collection: Collection,
    path: Path,
    facts: RunFacts | None = None,
    order: str = "",
    run_tag: str = "",
    skip_unknown: bool = False,
    name: str = "",
    who: str = "",
    progress: Progress | None = None,
) -> Run:
    """Import one run, whole or not at all.

    Raises the errors of ``check_run``, and SubmissionRefused if the collection's policy refuses the run. Then nothing
    is imported.
    """
    checked = check_run(
        run_content_of(path, name, progress),
        collection=collection,
        order=order,
        run_tag=run_tag,
        skip_unknown=skip_unknown,
    )
    run = keep_run(collection, checked, facts or RunFacts())
    log_added(collection, [run], who=who)
    return run


@dataclass(frozen=True)
class ImportedRuns:
    """The outcome of importing several files."""

    runs: tuple[Run, ...]
    refused: tuple[PoolingError, ...]
    """One error per problem of each refused file, up to a hundred per file."""


def import_runs(
    *,
    collection: Collection,
    paths: Sequence[Path],
    facts: RunFacts | None = None,
    order: str = "",
    skip_unknown: bool = False,
    who: str = "",
    progress: Progress | None = None,
) -> ImportedRuns:
    """Import several runs, each whole or not at all; a refused run does not stop the others.

    ``progress`` is called with the numbers of files done and of all files. If runs cannot be stored at all, the
    remaining files are not tried.
    """
    imported: list[Run] = []
    refused: list[PoolingError] = []
    read = partial(
        trec.read_run_file,
        known_qids=known_qids(collection),
        skip_unknown=skip_unknown,
        order=order,
        max_depth=collection.max_run_depth,
    )
    contents = [run_content_of(path) for path in paths]
    for done, (content, file) in enumerate(zip(contents, trec.read_runs(contents, read), strict=True), 1):
        try:
            if isinstance(file, PoolingError):
                raise file
            checked = _checked_run(content, collection, file)
            imported.append(keep_run(collection, checked, facts or RunFacts()))
        except PoolingError as refusal:
            refused += each_refusal(refusal, content, collection=collection, skip_unknown=skip_unknown)
        except (BucketAway, BucketRefused) as refusal:
            refused.append(PoolingError(f"{content.name}: {refusal.message}", refusal.next_step))
            rest = paths[done:]
            refused += [
                PoolingError(f"{one}: not tried.", "Import it when runs can be stored.") for one in rest
            ]
            break
        if progress is not None:
            progress(done, len(paths))
    log_added(collection, imported, who=who)
    return ImportedRuns(tuple(imported), tuple(refused))


def _checked_run(
    content: Content, collection: Collection | None, file: trec.RunFile, run_tag: str = ""
) -> CheckedRun:
    tag = _valid_tag(run_tag or file.tag or tag_of(Path(content.name).name))
    checked = CheckedRun(content, file, tag)
    if collection is not None:
        _refuse_if_imported(collection, checked)
    return checked


def log_added(collection: Collection, runs: Sequence[Run], *, who: str = "") -> None:
    """Log that runs were added, in one entry."""
    if runs:
        said = f"run {runs[0].run_tag}" if len(runs) == 1 else f"{len(runs):,} runs"
        log(collection, f"{said} added"[:300], who=who)


def keep_run(
    collection: Collection,
    checked: CheckedRun,
    facts: RunFacts,
    *,
    entry: Entry | None = None,
    upload_id: int | None = None,
    settle: Callable[[Run], None] | None = None,
) -> Run:
    """Store the ranking of a checked file, then create the row of the run.

    Raises SubmissionRefused, AlreadyImported, and OutsideCandidates if a rerank run contains passages that are not
    candidates. ``settle`` is called in the transaction that creates the run; if it raises an error, there is no run.
    The ranking is stored under a name derived from the file's content. After a crash before the row is created, the
    next import of the same run uses the stored ranking. If the same run is imported twice at once, unique constraints
    allow only one import; the other is refused like any later import.
    """
    file = checked.file
    said = run_field_values(collection, facts, checked.run_tag, entry)
    refuse_outside_candidates(collection, file.ranking, said["details"], checked.content)
    refuse_against_policy(collection, checked.run_tag, said, entry)  # before storing anything
    stored = f"{collection.pk}/{file.sha256}-{file.order}-v{trec.PARSER_VERSION}.parquet"
    ranking_files.put_ranking(stored, file.ranking)
    try:
        with transaction.atomic():
            said["round"] = hold_to_policy(collection, checked.run_tag, said, entry)
            run = Run.objects.create(
                collection=collection,
                run_tag=checked.run_tag,
                format=file.layout,
                order=file.order,
                sha256=file.sha256,
                parser_version=trec.PARSER_VERSION,
                storage_name=stored,
                report={**asdict(file.report), "warnings": file.report.warnings()},
                **said,
            )
            if settle is not None:
                settle(run)
            AnnouncedRun.objects.filter(collection=collection, run_tag=run.run_tag).update(run=run)
            record_check(collection, "imported", run=run, upload_id=upload_id)
            return run
    except IntegrityError:
        _refuse_if_imported(collection, checked)
        raise


def record_check(
    collection: Collection,
    outcome: str,
    *,
    run: Run | None = None,
    upload_id: int | None = None,
    problem_counts: dict[str, int] | None = None,
) -> None:
    """Record the event that a run file was checked. Call it in the transaction that stores the outcome."""
    facts = {
        "outcome": outcome,
        "upload": upload_id,
        "run": None if run is None else {"id": run.pk, "run_tag": run.run_tag, "release": str(run.release)},
        "problem_counts": problem_counts or {},
    }
    events.record_event(RUN_CHECKED, collection_id=collection.pk, facts=facts)


def run_field_values(
    collection: Collection, facts: RunFacts, run_tag: str, entry: Entry | None = None
) -> dict[str, Any]:
    """Return the facts as values of a run's fields, completed from its announcement, if it has one.

    A run that a team sends itself (``entry``) gets the team's name. Raises PoolingError for an invalid detail.
    """
    announced = AnnouncedRun.objects.filter(collection=collection, run_tag=run_tag).first()
    said = asdict(facts) | {"details": read_details(facts.details, known_details(collection))}
    said["variant_of"] = runs_tagged(collection, [facts.variant_of])[0] if facts.variant_of else None
    if (
        entry is not None
        and announced is not None
        and announced.said.get("team") not in ("", None, entry.team.name)
    ):
        raise SubmissionRefused(f"{run_tag}: this tag is reserved.", "Give the run another tag.")
    said = said if announced is None else complete_from_announcement(said, announced)
    return said if entry is None else _as_team(said, entry, run_tag)


def _as_team(said: dict[str, Any], entry: Entry, run_tag: str) -> dict[str, Any]:
    """Return a team's facts about its run, with the team's name and the day of arrival. Refuse other teams' names."""
    if said["team"] not in ("", entry.team.name):
        raise SubmissionRefused(
            f"{run_tag}: you submit for the team {entry.team.name}, not for {said['team']}.",
            Guidance("Leave out ", Option("team"), "."),
        )
    if said["variant_of"] is not None and said["variant_of"].team != entry.team.name:
        raise SubmissionRefused(
            f"{run_tag}: it can only be a variant of another run by {entry.team.name}.",
            "Name one of the team's own runs, or leave the field empty.",
        )
    return said | {"team": entry.team.name, "submitted_on": entry.at.date()}


def tops_of(run: Run, depth: int | None = 1) -> dict[str, tuple[str, ...]]:
    """Return qid → the first ``depth`` pids of the run (None: all pids), best first."""
    ranking = ranking_files.ranking_of(run, depth)
    return ranking.tops(ranking.depth if depth is None else depth)


def tag_of(file_name: str) -> str:
    """Return a tag for a run file without a tag: the file name without the usual extensions."""
    stem = file_name
    while (ending := next((end for end in _ENDINGS if stem.lower().endswith(end)), "")) and stem != ending:
        stem = stem[: -len(ending)]
    return stem


def checked_run_summary(checked: CheckedRun) -> dict[str, Any]:
    """Return a checked run's tag, format, order, hash and report, ready for JSON."""
    report = checked.file.report
    return {
        "run": checked.run_tag,
        "format": checked.file.layout,
        "order": checked.file.order,
        "sha256": checked.file.sha256,
        **asdict(report),
        "warnings": report.warnings(),
    }


def _valid_tag(tag: str) -> str:
    if not tag or any(character.isspace() for character in tag) or len(tag.encode()) > LONGEST["tag"]:
        raise PoolingError(
            f"{tag!r} cannot be a run tag.",
            Guidance(
                f"Choose a tag without spaces, of at most {LONGEST['tag']} bytes, with ", Option("tag"), "."
            ),
        )
    return tag


def _refuse_if_imported(collection: Collection, checked: CheckedRun) -> None:
    file, name = checked.file, checked.content.name
    same = collection.runs.filter(
        sha256=file.sha256, order=file.order, parser_version=trec.PARSER_VERSION
    ).first()
    if same is not None:
        raise SameRun(
            f"{name}: the same content is already imported, as run {same.run_tag}.",
            "Nothing needs to be done.",
            team=same.team,
            of_tag=False,
        )
    tagged = collection.runs.filter(run_tag=checked.run_tag).first()
    if tagged is not None and tagged.sha256 == file.sha256:
        raise SameRun(
            f"{name}: the same content is already imported as run {tagged.run_tag}, ordered by {tagged.order}.",
            Guidance(
                f"To also have it ordered by {file.order}, import it under another tag with ",
                Option("tag"),
                ".",
            ),
            team=tagged.team,
            of_tag=False,
        )
    if tagged is not None:
        raise SameRun(
            f"{name}: a run {checked.run_tag} with other content already exists.",
            Guidance("Import this file under another tag with ", Option("tag"), "."),
            team=tagged.team,
            of_tag=True,
        )
