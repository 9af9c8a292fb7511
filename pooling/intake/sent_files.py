"""Store files that were sent for a collection until a job has read them, and list their problems."""

import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from django.conf import settings
from django.db import transaction

from accounts.models import User
from config import clock
from pooling.errors import (
    InvalidFile,
    InvalidPassageFile,
    PoolingError,
    ReaderFailed,
    UploadOver,
)
from pooling.files.formats import Content, Progress
from pooling.files.problems import Problem, Problems, of_refusal, only_unknown_queries
from pooling.files.texts import passage_problems
from pooling.intake.quotas import StoredFile, refuse_over_quota, sent_by_people, sizes_of, sources_folder
from pooling.models import AddedFiles, NewCollection, PassageSource
from pooling.passages.passages import examine
from pooling.storage.decompressed_size import content_of, run_content_of
from pooling.storage.reader_faults import refusing_faults

QUERIES, PASSAGES, QRELS, CANDIDATES = "queries", "passages", "qrels", "candidates"
KINDS = {QUERIES, PASSAGES, QRELS, CANDIDATES}
COPY = 1 << 20
#: The maximum length of the list of file names in a problem that concerns all files.
LONGEST_CALLED = 200
Row = TypeVar("Row", NewCollection, AddedFiles)


@dataclass(frozen=True)
class SentFile:
    """A sent file: its kind, the sender's name for it, and its content."""

    what: str
    name: str
    content: IO[bytes]


@dataclass(frozen=True)
class AnnouncedFile:
    """A file that will be sent in parts: its kind, the sender's name for it, and its size in bytes."""

    what: str
    name: str
    size: int


@contextmanager
def kept_within_quota(
    user: User, sent: Sequence[SentFile | AnnouncedFile], there: Sequence[Path]
) -> Iterator[list[StoredFile]]:
    """Store sent files, then run the block in a transaction. If the block fails, delete the files.

    An empty file is stored for each announced file. The files in ``there``, which are already on the server, stay
    where they are. The block creates the row for the files. Raises QuotaReached.
    """
    folder = sources_folder() / uuid.uuid4().hex
    files = [_store_file(folder, number, file) for number, file in enumerate(sent, 1)]
    files += [{"what": PASSAGES, "name": path.name, "path": str(path)} for path in there]
    try:
        with transaction.atomic():
            refuse_over_quota(user, files=len(sent), size=sum(sizes_of(files)))
            yield files
    except BaseException:
        forget_sent_files(files, KINDS)
        raise


def _store_file(folder: Path, number: int, file: SentFile | AnnouncedFile) -> StoredFile:
    """Store a sent file under our own name. The sender's name never becomes part of a path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number}-{file.what}"
    kept = {"what": file.what, "name": Path(file.name).name[:200] or file.what, "path": str(path)}
    if isinstance(file, AnnouncedFile):
        path.touch()
        return kept | {"size_bytes": file.size, "received_bytes": 0}
    with path.open("wb") as target:
        shutil.copyfileobj(file.content, target, COPY)
    return kept


def contents_of_kind(
    files: Iterable[StoredFile], what: str, progress: Progress | None = None
) -> list[Content]:
    """Return the content of each file of this kind, under its sender's name."""
    chosen = [(Path(file["path"]), file["name"], progress) for file in files if file["what"] == what]
    return [run_content_of(*one) if what == CANDIDATES else content_of(*one) for one in chosen]


def problems_of_passage_files(
    files: Iterable[StoredFile], progress: Progress | None = None
) -> Iterable[tuple[str, Problems]]:
    """Read all lines of each passage file that was sent, and yield the file's name and problems."""
    for content in contents_of_kind([file for file, _ in sent_by_people(files)], PASSAGES, progress):
        yield content.name, passage_problems(content)


def examined_passages(
    files: Sequence[StoredFile], progress: Progress | None = None
) -> list[tuple[str, PassageSource]]:
    """Read all passage files; return each as a source with its name. Raises InvalidFile for the first problem.

    Every line of an uploaded file is checked. Files on the server are only read, to find their format and hash.
    """
    for name, found in problems_of_passage_files(files, progress):
        if found.total:
            first = found.listed[0]
            raise InvalidPassageFile(name, first.line, first.reason, first.next_step)
    return [(content.name, examine(content)) for content in contents_of_kind(files, PASSAGES, progress)]


def forget_sent_files(files: Iterable[StoredFile], kinds: set[str]) -> None:
    """Delete sent files of these kinds. Files offered by the server stay."""
    for file, path in sent_by_people(files):
        if file["what"] in kinds:
            path.unlink(missing_ok=True)
            with suppress(OSError):  # The folder still contains other files.
                path.parent.rmdir()


def sources_on_the_server() -> list[Path]:
    """Return the passage files in the installation's shared folder, sorted by name."""
    folder = settings.SOURCES_DIR
    if not folder or not Path(folder).is_dir():
        return []
    return sorted(path for path in Path(folder).iterdir() if path.is_file() and not path.name.startswith("."))


def read_once(
    wanted: Row,
    read: Callable[[], Callable[[], dict[str, Any]]],
    look: Callable[[], Iterable[tuple[str, Problems]]],
    *,
    done_with: set[str],
) -> Row:
    """Import the files that are waiting, all or none, and return the row with the outcome.

    ``read`` reads the files and returns a function that stores them and returns the row's changes. Only the returned
    function runs in a transaction, because a transaction blocks all other writers of SQLite. ``look`` finds all
    problems if files are refused. Files of the kinds ``done_with`` are deleted, and passage files too if nothing was
    imported. Files refused only for unknown queries are kept (``pooling.intake.unknown_queries``). Safe to repeat.
    """
    states = type(wanted).State
    if wanted.state != states.WAITING:
        return wanted
    waiting = type(wanted).objects.filter(pk=wanted.pk, state=states.WAITING)
    called = ", ".join(file["name"] for file in wanted.files)[:LONGEST_CALLED]
    try:
        with refusing_faults(called):
            store = read()
            with transaction.atomic():
                if not waiting.update(**store(), finished_at=clock.now()):
                    raise UploadOver(
                        "The files were discarded while they were being read.", "Send them again."
                    )
    except PoolingError as refusal:
        listed, counts = every_problem(refusal, look)
        refused = {"problems": listed, "problem_counts": counts, "finished_at": clock.now()}
        if not waiting.update(state=states.REFUSED, **refused):
            return type(wanted).objects.filter(pk=wanted.pk).first() or wanted
        done_with = set() if only_unknown_queries(counts) else {*done_with, PASSAGES}
    forget_sent_files(wanted.files, done_with)
    wanted.refresh_from_db()
    return wanted


def every_problem(
    refusal: PoolingError, look: Callable[[], Iterable[tuple[str, Problems]]]
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return a record of each listed problem, with its file and line, and the number of problems by kind.

    ``look`` reads refused files again to find every problem; if it finds none, the refusal itself is the problem.
    """
    found: list[tuple[str, Problems]] = []
    if isinstance(refusal, InvalidFile) and not isinstance(refusal, ReaderFailed):
        with suppress(ReaderFailed), refusing_faults(refusal.file):
            found += look()
    if not any(problems.total for _, problems in found):
        first = of_refusal(refusal) if isinstance(refusal, InvalidFile) else None
        first = first or Problem(0, "collection", refusal.message, refusal.next_step)
        # Never show paths on the server.
        found = [(Path(getattr(refusal, "file", "")).name, Problems((first,), {first.kind: 1}))]
    rows: list[dict[str, Any]] = []
    counts: dict[str, int] = {}
    for name, problems in found:
        rows += [{"file": name} | one.as_json() for one in problems.listed]
        for kind, number in problems.counts.items():
            counts[kind] = counts.get(kind, 0) + number
    return rows, counts
