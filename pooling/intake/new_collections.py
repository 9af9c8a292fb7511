"""Create a collection from uploaded files, as the command `import_collection` does."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from accounts.models import User
from accounts.roles import Role
from accounts.signup import anybody_may_join
from pooling.collections.members import log
from pooling.errors import InvalidFile
from pooling.files import trec
from pooling.files.formats import Progress
from pooling.files.problems import Problems, of_refusal
from pooling.files.texts import query_problems, read_query_file
from pooling.intake.collections import (
    CollectionFiles,
    check_new,
    read_collection_files,
    store_collection,
)
from pooling.intake.sent_files import (
    PASSAGES,
    QRELS,
    QUERIES,
    SentFile,
    contents_of_kind,
    examined_passages,
    kept_within_quota,
    problems_of_passage_files,
    read_once,
)
from pooling.models import Collection, Membership, NewCollection
from pooling.passages.swapped_texts import refuse_swapped_texts


def may_create(user: Any) -> bool:
    """Return whether the person can create collections. With open sign-up, only owners and administrators can."""
    if not user.is_authenticated or not user.is_active:
        return False
    if user.is_superuser or not anybody_may_join():
        return True
    return Membership.objects.filter(user=user, role=Role.OWNER).exists()


def ask_for_collection(
    *, user: User, name: str, details: dict[str, Any], sent: Sequence[SentFile], there: Sequence[Path] = ()
) -> NewCollection:
    """Store the files and the request, for a job that creates the collection.

    ``there``: passage files that are already on the server. Raises PoolingError for problems that can be checked at
    once.
    """
    check_new(name, details.get("language", "en"))
    with kept_within_quota(user, sent, there) as files:
        return NewCollection.objects.create(user=user, name=name, details=details, files=files)


def make_requested_collection(wanted: NewCollection, *, progress: Progress | None = None) -> NewCollection:
    """Create the collection, all or nothing, with the requester as owner. Safe to repeat."""

    def read() -> Callable[[], dict[str, Any]]:
        files = _read_files(wanted, progress)

        def make() -> dict[str, Any]:
            details = dict(wanted.details)
            details.pop("skip_unknown", None)
            made = store_collection(files, name=wanted.name, **details)
            _make_owner(wanted, made.collection)
            return {"state": NewCollection.State.MADE, "collection": made.collection}

        return make

    # Passage files are kept: texts are read from them as long as the collection exists.
    return read_once(wanted, read, lambda: _problems_of_collection_files(wanted), done_with={QUERIES, QRELS})


def _read_files(wanted: NewCollection, progress: Progress | None) -> CollectionFiles:
    [queries] = contents_of_kind(wanted.files, QUERIES, progress)
    return read_collection_files(
        queries,
        examined_passages(wanted.files, progress),
        next(iter(contents_of_kind(wanted.files, QRELS, progress)), None),
        skip_unknown=wanted.details.get("skip_unknown", False),
    )


def _make_owner(wanted: NewCollection, collection: Collection) -> None:
    if wanted.user is None:
        return
    Membership.objects.create(collection=collection, user=wanted.user, role=Role.OWNER)
    log(collection, "created", who=wanted.user.get_username())


def _problems_of_collection_files(wanted: NewCollection) -> Iterable[tuple[str, Problems]]:
    [queries] = contents_of_kind(wanted.files, QUERIES)
    of_queries = query_problems(queries)
    yield queries.name, of_queries
    known = None
    if not of_queries.total:
        found = read_query_file(queries.again())
        try:
            refuse_swapped_texts(found, queries.name, contents_of_kind(wanted.files, PASSAGES))
        except InvalidFile as refusal:
            yield refusal.file, Problems((of_refusal(refusal),), {"file": 1})
        else:
            known = None if wanted.details.get("skip_unknown") else {query.id for query in found}
    for content in contents_of_kind(wanted.files, QRELS):
        yield content.name, trec.qrel_problems(content, known_qids=known)
    yield from problems_of_passage_files(wanted.files)
