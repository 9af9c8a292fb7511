"""Add labels, candidates and passage files to a collection, and fetch missing texts of its pools and runs."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from accounts.models import User
from config.plurals import many
from pooling.collections.lookups import known_qids
from pooling.collections.members import log
from pooling.collections.name_rules import check_name
from pooling.errors import AlreadyImported, NotFound
from pooling.files import trec
from pooling.files.formats import Progress
from pooling.files.problems import Problems
from pooling.intake.sent_files import (
    CANDIDATES,
    PASSAGES,
    QRELS,
    SentFile,
    contents_of_kind,
    examined_passages,
    kept_within_quota,
    problems_of_passage_files,
    read_once,
)
from pooling.labels.qrels import store_labels
from pooling.models import AddedFiles, Collection, PassageSource
from pooling.passages import passages
from pooling.passages.swapped_texts import refuse_own_queries
from pooling.runs.candidate_sets import ReadCandidates, read_candidates, store_candidates

#: The maximum number of passages without a text that are listed.
MOST_LISTED = 20


def ask_to_add(
    *,
    collection: Collection,
    user: User,
    details: dict[str, Any] | None = None,
    sent: Sequence[SentFile] = (),
    there: Sequence[Path] = (),
) -> AddedFiles:
    """Store a request, with its files, for a job that adds the files and fetches missing texts.

    Without files, the job only fetches the texts of recorded passages and of every run's top passages from the
    registered sources.

    ``details`` of labels: ``set`` (its name), ``min_grade``, ``skip_unknown``, ``withheld``. ``there``: passage files
    that are already on the server. Raises PoolingError for problems that can be checked at once.
    """
    details = details or {}
    check_addable(
        collection, details, labels=any(file.what == QRELS for file in sent), files=bool(sent or there)
    )
    with kept_within_quota(user, sent, there) as files:
        return AddedFiles.objects.create(collection=collection, user=user, details=details, files=files)


def check_addable(collection: Collection, details: dict[str, Any], *, labels: bool, files: bool) -> None:
    """Raise PoolingError for every problem that can be found before a file is read."""
    if labels:
        check_name(details["set"])
        if collection.qrel_sets.filter(name=details["set"]).exists():
            raise AlreadyImported(
                f"Collection {collection.name} already has a qrel set {details['set']!r}.",
                "Choose another name. Labels that were used for scores cannot change.",
            )
    if not files and not collection.sources.exists():
        raise NotFound(f"Collection {collection.name} has no passage file.", "Send one.")


def add_waiting_files(wanted: AddedFiles, *, progress: Progress | None = None) -> AddedFiles:
    """Add the files and the missing texts that sources contain, all or none. Safe to repeat."""

    def read() -> Callable[[], dict[str, Any]]:
        examined = examined_passages(wanted.files, progress)
        labels, candidates = _read_labels(wanted, progress), _read_candidates(wanted, progress)
        named = labels.pids if labels else ()
        refuse_own_queries(wanted.collection, contents_of_kind(wanted.files, PASSAGES), named)
        if not wanted.files and wanted.collection.sources.exists():
            passages.record_tops(wanted.collection, progress=progress)
        passages.read_texts(
            collection=wanted.collection,
            pids=set(labels.pids) if labels else set(),
            fresh=[source for _, source in examined],
            into=texts,
            progress=progress,
        )

        def add() -> dict[str, Any]:
            outcome = _add_labels(wanted, labels) | _add_candidates(wanted, candidates)
            outcome |= _add_texts(wanted, examined, texts)
            _log_additions(wanted, outcome)
            return {"state": AddedFiles.State.ADDED, "outcome": outcome}

        return add

    with tempfile.TemporaryFile("w+", encoding="utf-8") as texts:
        return read_once(
            wanted, read, lambda: _problems_of_added_files(wanted), done_with={QRELS, CANDIDATES}
        )


def _read_labels(wanted: AddedFiles, progress: Progress | None) -> trec.Qrels | None:
    """Read the file of labels, if any. Raises InvalidFile."""
    for content in contents_of_kind(wanted.files, QRELS, progress):
        return trec.read_qrel_file(
            content,
            known_qids=known_qids(wanted.collection),
            skip_unknown=wanted.details.get("skip_unknown", False),
        )
    return None


def _read_candidates(wanted: AddedFiles, progress: Progress | None) -> ReadCandidates | None:
    for content in contents_of_kind(wanted.files, CANDIDATES, progress):
        return read_candidates(wanted.collection, content)
    return None


def _add_labels(wanted: AddedFiles, labels: trec.Qrels | None) -> dict[str, Any]:
    if labels is None:
        return {}
    imported = store_labels(
        labels,
        collection=wanted.collection,
        set_name=wanted.details["set"],
        min_grade=wanted.details.get("min_grade", 1),
        withheld=wanted.details.get("withheld", False),
    )
    return {
        "set": imported.qrel_set.name,
        "labels": imported.labels,
        "queries": imported.queries,
        "relevant": imported.relevant,
        "skipped": len(imported.skipped),
    }


def _add_candidates(wanted: AddedFiles, candidates: ReadCandidates | None) -> dict[str, Any]:
    """Set or replace the candidates that reranked runs may reorder."""
    if candidates is None:
        return {}
    who = wanted.user.get_username() if wanted.user else ""
    found = store_candidates(candidates, wanted.collection, who=who)
    return {"candidates": found.lines, "candidate_queries": found.queries, "candidate_depth": found.depth}


def _add_texts(
    wanted: AddedFiles, examined: list[tuple[str, PassageSource]], texts: IO[str]
) -> dict[str, Any]:
    """Register new sources, and store the texts read for passages without text, newly labeled passages included."""
    for name, source in examined:
        passages.register_source(wanted.collection, source, name=name)
    fetched = passages.store_read_texts(collection=wanted.collection, file=texts)
    return {
        "sources": len(examined),
        "texts_wanted": fetched.wanted,
        "texts_found": fetched.found,
        "without_text": list(fetched.missing[:MOST_LISTED]),
    }


def _log_additions(wanted: AddedFiles, outcome: dict[str, Any]) -> None:
    who = wanted.user.get_username() if wanted.user else ""
    if "set" in outcome:
        log(wanted.collection, f"labels {outcome['set']} added", who=who)
    if outcome["sources"]:
        log(wanted.collection, f"{many(outcome['sources'], 'passage file')} added", who=who)


def _problems_of_added_files(wanted: AddedFiles) -> Iterable[tuple[str, Problems]]:
    known = None
    if not wanted.details.get("skip_unknown"):
        known = set(wanted.collection.queries.values_list("qid", flat=True))
    for content in contents_of_kind(wanted.files, QRELS):
        yield content.name, trec.qrel_problems(content, known_qids=known)
    for content in contents_of_kind(wanted.files, CANDIDATES):
        yield content.name, trec.run_problems(content, skip_unknown=True)
    yield from problems_of_passage_files(wanted.files)
