"""The candidate set of a collection: the passages that reranked runs may reorder, such as an official top 100."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from config.plurals import many
from pooling.collections.lookups import known_qids
from pooling.collections.members import log
from pooling.errors import NotFound, OutsideCandidates
from pooling.files import trec
from pooling.files.formats import Content, Progress
from pooling.files.outside_candidates import first_line, outside_candidates
from pooling.files.ranking import Ranking
from pooling.models import CandidateSet, Collection
from pooling.storage import ranking_files
from pooling.storage.decompressed_size import run_content_of


@dataclass(frozen=True)
class ReadCandidates:
    """A file of candidates that was read and checked, but not stored yet."""

    file_name: str
    file: trec.RunFile


def candidates_of(collection: Collection) -> CandidateSet | None:
    """Return the collection's candidate set, if any."""
    return CandidateSet.objects.filter(collection=collection).first()


def set_candidates(
    *, collection: Collection, path: Path, who: str, progress: Progress | None = None
) -> CandidateSet:
    """Set or replace the candidate set from a file in a run's format. Lines of unknown queries are left out.

    Existing runs are not affected. Raises InvalidFile.
    """
    read = read_candidates(collection, run_content_of(path, progress=progress))
    return store_candidates(read, collection, who=who)


def read_candidates(collection: Collection, content: Content) -> ReadCandidates:
    """Read and check a file of candidates. Raises InvalidFile."""
    file = trec.read_run_file(content, known_qids=known_qids(collection), skip_unknown=True)
    return ReadCandidates(Path(content.name).name[:200], file)


def store_candidates(read: ReadCandidates, collection: Collection, *, who: str) -> CandidateSet:
    """Store the candidates as the collection's candidate set, in place of an earlier one."""
    file = read.file
    stored = f"{collection.pk}/candidates-{file.sha256}.parquet"
    ranking_files.put_ranking(stored, file.ranking)
    before = candidates_of(collection)
    facts: dict[str, Any] = {
        "file_name": read.file_name,
        "sha256": file.sha256,
        "storage_name": stored,
        "queries": len(file.ranking.qids),
        "depth": file.report.depth,
        "lines": file.report.lines,
    }
    with transaction.atomic():
        candidates, _ = CandidateSet.objects.update_or_create(collection=collection, defaults=facts)
        log(collection, f"candidates for reranking set: {facts['file_name']}"[:300], who=who)
    if before is not None and before.storage_name != stored:
        ranking_files.forget_ranking(before.storage_name)
    return candidates


def drop_candidates(*, collection: Collection, who: str) -> bool:
    """Remove the candidate set; return whether the collection had one."""
    before = candidates_of(collection)
    if before is None:
        return False
    with transaction.atomic():
        before.delete()
        log(collection, "candidates for reranking removed", who=who)
    ranking_files.forget_ranking(before.storage_name)
    return True


def candidate_lines(candidates: CandidateSet, hidden: Container[str]) -> Iterator[str]:
    """Yield the candidates as lines of a TREC run, sorted by qid and rank, without the queries in ``hidden`` (qids).

    Raises NotFound if the stored file is missing.
    """
    rows = _stored_candidates(candidates).frame().sort("qid", "rank").select("qid", "pid", "rank", "score")
    for qid, pid, rank, score in rows.iter_rows():
        if qid not in hidden:
            yield f"{qid} Q0 {pid} {rank} {-rank if score is None else score} candidates\n"


def _stored_candidates(candidates: CandidateSet) -> Ranking:
    found = ranking_files.stored_ranking(candidates.storage_name)
    if found is None:
        raise NotFound(
            f"The stored candidates of {candidates.collection.name} are missing ({candidates.storage_name}).",
            "Set the candidates again.",
        )
    return found


def refuse_outside_candidates(
    collection: Collection, ranking: Ranking, details: Mapping[str, Any], content: Content
) -> None:
    """Raise OutsideCandidates if a reranked run has passages that are not candidates.

    The error names the first such line. Other runs, and collections without a candidate set, are not checked.
    """
    candidates = candidates_of(collection) if details.get("subtask") == "rerank" else None
    if candidates is None:
        return
    outside = outside_candidates(ranking, _stored_candidates(candidates))
    if not outside:
        return
    line = first_line(content.again(), outside)
    queries = len({qid for qid, _ in outside})
    raise OutsideCandidates(
        content.name,
        line,
        f"the passage is not among the candidates of its query ({candidates.file_name}). The run has "
        f"{many(len(outside), 'such passage')} in {many(queries, 'query', 'queries')}.",
        "A rerank run contains only candidates. Remove the other passages, or submit the run as fullrank.",
    )
