"""Make a collection of files that somebody sent, by the import that the command does."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.db import transaction

from accounts.models import User
from accounts.roles import Role
from config import clock
from pooling import trec
from pooling.errors import AlreadyImported, InvalidFile, PoolingError
from pooling.formats import Content, Progress
from pooling.models import Collection, Membership, NewCollection
from pooling.problems import Problem, Problems, of_refusal
from pooling.services.collections import ImportedCollection, import_collection
from pooling.services.members import log
from pooling.services.naming import check_language, check_name
from pooling.texts import query_problems, read_queries

QUERIES, PASSAGES, QRELS = "queries", "passages", "qrels"
COPY = 1 << 20


@dataclass(frozen=True)
class SentFile:
    """A file that came along: what it is, what it is called, and its content."""

    what: str
    name: str
    content: IO[bytes]


def may_create(user: Any) -> bool:
    """Whether the person may make collections: whoever was invited, and where anybody may sign up only owners."""
    if not user.is_authenticated or not user.is_active:
        return False
    if user.is_superuser or not settings.OPEN_SIGNUP:
        return True
    return Membership.objects.filter(user=user, role=Role.OWNER).exists()


def ask_for_collection(
    *, user: User, name: str, details: dict[str, Any], sent: Sequence[SentFile], there: Sequence[Path] = ()
) -> NewCollection:
    """Keep the files and what is wanted, for a job to make the collection.

    ``there``: passage files that lie on the server already. Raises PoolingError for what can be told at once.
    """
    check_name(name)
    check_language(details.get("language", "en"))
    if Collection.objects.filter(name=name).exists():
        raise AlreadyImported(f"There already is a collection {name!r}.", "Choose another name.")
    folder = Path(settings.DATA_DIR) / "sources" / uuid.uuid4().hex
    files = [_kept(folder, number, file) for number, file in enumerate(sent, 1)]
    files += [{"what": PASSAGES, "name": path.name, "path": str(path)} for path in there]
    return NewCollection.objects.create(user=user, name=name, details=details, files=files)


def make_collection(wanted: NewCollection, *, progress: Progress | None = None) -> NewCollection:
    """Make the collection, whole or not at all, and whoever asked its owner. Safe to repeat."""
    if wanted.state != NewCollection.State.WAITING:
        return wanted
    changes: dict[str, Any] = {"state": NewCollection.State.REFUSED, "finished_at": clock.now()}
    try:
        with transaction.atomic():
            made = _imported(wanted, progress)
            _give_to(wanted, made.collection)
        changes |= {"state": NewCollection.State.MADE, "collection": made.collection}
    except PoolingError as refusal:
        listed, counts = _all_problems(wanted, refusal)
        changes |= {"problems": listed, "problem_counts": counts}
    NewCollection.objects.filter(pk=wanted.pk, state=NewCollection.State.WAITING).update(**changes)
    # Passages are read where they lie, as long as the collection is there.
    kept = {PASSAGES} if changes["state"] == NewCollection.State.MADE else set()
    _forget(wanted, {QUERIES, QRELS, PASSAGES} - kept)
    wanted.refresh_from_db()
    return wanted


def sources_on_the_server() -> list[Path]:
    """Passage files in the folder that the installation offers, by name."""
    folder = settings.SOURCES_DIR
    if not folder or not Path(folder).is_dir():
        return []
    return sorted(path for path in Path(folder).iterdir() if path.is_file() and not path.name.startswith("."))


def _kept(folder: Path, number: int, file: SentFile) -> dict[str, str]:
    """Keep a sent file under a name of ours: what a sender calls it never becomes part of a path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number}-{file.what}"
    with path.open("wb") as target:
        shutil.copyfileobj(file.content, target, COPY)
    return {"what": file.what, "name": Path(file.name).name[:200] or file.what, "path": str(path)}


def _paths(wanted: NewCollection, what: str) -> list[Path]:
    return [Path(file["path"]) for file in wanted.files if file["what"] == what]


def _names(wanted: NewCollection) -> dict[Path, str]:
    return {Path(file["path"]): file["name"] for file in wanted.files}


def _imported(wanted: NewCollection, progress: Progress | None) -> ImportedCollection:
    details = wanted.details
    return import_collection(
        name=wanted.name,
        queries=_paths(wanted, QUERIES)[0],
        passage_files=_paths(wanted, PASSAGES),
        qrels=next(iter(_paths(wanted, QRELS)), None),
        min_grade=details.get("min_grade", 1),
        title=details.get("title", ""),
        description=details.get("description", ""),
        language=details.get("language", "en"),
        names=_names(wanted),
        progress=progress,
    )


def _give_to(wanted: NewCollection, collection: Collection) -> None:
    if wanted.user is None:
        return
    Membership.objects.create(collection=collection, user=wanted.user, role=Role.OWNER)
    log(collection, "created", who=wanted.user.get_username())


def _forget(wanted: NewCollection, kinds: set[str]) -> None:
    """Delete sent files of these kinds; what lay on the server before stays."""
    ours = Path(settings.DATA_DIR) / "sources"
    for file in wanted.files:
        path = Path(file["path"])
        if file["what"] in kinds and path.is_relative_to(ours):
            path.unlink(missing_ok=True)
            with suppress(OSError):  # others lie there still
                path.parent.rmdir()


def _all_problems(
    wanted: NewCollection, refusal: PoolingError
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """All that is wrong with the query file and the qrels, each with its file and line."""
    found: list[tuple[str, Problems]] = []
    if isinstance(refusal, InvalidFile):
        found = list(_of_files(wanted))
    if not any(one.total for _, one in found):
        first = of_refusal(refusal) if isinstance(refusal, InvalidFile) else None
        first = first or Problem(0, "collection", refusal.message, refusal.next_step)
        found = [(getattr(refusal, "file", ""), Problems((first,), {first.kind: 1}))]
    listed = [
        {
            "file": name,
            "line": one.line,
            "kind": one.kind,
            "reason": one.reason,
            "next_step": one.next_step,
        }
        for name, problems in found
        for one in problems.listed
    ]
    counts: dict[str, int] = {}
    for _, problems in found:
        for kind, number in problems.counts.items():
            counts[kind] = counts.get(kind, 0) + number
    return listed, counts


def _of_files(wanted: NewCollection) -> Iterable[tuple[str, Problems]]:
    names = _names(wanted)
    most = settings.MAX_DECOMPRESSED_BYTES
    [queries] = _paths(wanted, QUERIES)
    of_queries = query_problems(Content(queries, names[queries], most))
    yield names[queries], of_queries
    known = None
    if not of_queries.total:
        known = {query.id for query in read_queries(Content(queries, names[queries], most))}
    for path in _paths(wanted, QRELS):
        yield names[path], trec.qrel_problems(path, name=names[path], known_qids=known, max_bytes=most)
