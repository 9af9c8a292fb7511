"""Read and check run files and qrel files.

Runs: TREC (``qid Q0 pid rank score tag``) and MS MARCO (``qid pid rank``). Qrels: TREC
(``qid 0 pid grade``) and three columns (``qid pid grade``). Columns are separated by any number of
spaces or tabs. docs/data-formats.md lists refusals and warnings.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from config.guidance import Guidance, Option
from config.plurals import many
from pooling.errors import InvalidQrelFile, InvalidRunFile, PoolingError, UnknownQueries
from pooling.files.columns import Columns, lines_with, read_columns
from pooling.files.formats import BLOCK_BYTES, Content
from pooling.files.line_blocks import Layout
from pooling.files.ordering import duplicate_rows, order_lines
from pooling.files.problems import TOO_DEEP, Problems, problems_of_lines, with_lines
from pooling.files.ranking import Ranking, rank_first

PARSER_VERSION = 1
"""Increased whenever the same file could result in a different ranking than before."""

READERS = 2
"""Number of large runs read concurrently. More would save little time and need much memory."""
SMALL_READERS = 3
"""Number of runs read concurrently if each fits in one block. Their steps are so short that threads often wait."""

TREC_RUN = Layout("TREC run", ("qid", "_q0", "pid", "rank", "score", "tag"), InvalidRunFile)
MSMARCO_RUN = Layout("MS MARCO run", ("qid", "pid", "rank"), InvalidRunFile)
TREC_QRELS = Layout("TREC qrels", ("qid", "_iteration", "pid", "grade"), InvalidQrelFile)
SHORT_QRELS = Layout("qrels of three columns", ("qid", "pid", "grade"), InvalidQrelFile)
HAS = ("query has", "queries have")


@dataclass(frozen=True)
class RunReport:
    """The result of checking a run. Numbers count queries, except ``lines``, ``depth`` and ``tied_lines``."""

    lines: int
    queries: int
    depth: int
    """The largest number of passages of a query."""
    unanswered: tuple[str, ...]
    """Queries of the collection for which the run has no line."""
    skipped: tuple[str, ...]
    """Unknown queries whose lines were dropped, as requested."""
    rank_disagreements: int
    """Queries whose ranks contradict their scores: a line with a lower score than another has no later rank. Lines
    with equal scores may have any ranks."""
    tied_queries: int
    tied_lines: int
    tied_tops: int
    """Queries with a tie at rank 1, in which the tie rule determines the top passage."""
    rank_gaps: int
    """Queries whose ranks are not consecutive, in a file ordered by rank. The ranks used are counted from 1."""

    def warnings(self) -> list[str]:
        """Return the report's warnings as sentences. The first is about unanswered queries, if any."""
        ties = (
            f"ties ({many(self.tied_lines, 'line')}; at rank 1 in {many(self.tied_tops, 'query', 'queries')})"
        )
        said = [
            (len(self.skipped), ("unknown query was", "unknown queries were"), "skipped"),
            (self.rank_disagreements, HAS, "a rank column that disagrees with the order of the scores"),
            (self.tied_queries, HAS, ties),
            (self.rank_gaps, HAS, "ranks that are not consecutive"),
        ]
        rest = [f"{many(count, *words)} {what}" for count, words, what in said if count]
        return [unanswered_words(len(self.unanswered)), *rest] if self.unanswered else rest


def unanswered_words(count: int) -> str:
    """Return the warning that a run has no results for this many queries."""
    nouns = ("query of the collection has", "queries of the collection have")
    return f"{many(count, *nouns)} no answer in the run"


@dataclass(frozen=True)
class RunFile:
    """A run file that passed every check."""

    layout: str
    """The file's format: ``trec`` or ``msmarco``."""
    tag: str
    """The last column of a TREC run; ``""`` for MS MARCO, which has none."""
    order: str
    """``score`` or ``rank``: the column that determined the order."""
    sha256: str
    """SHA-256 of the decompressed content."""
    size: int
    """Bytes of the decompressed content."""
    ranking: Ranking
    report: RunReport


@dataclass(frozen=True)
class Qrels:
    """The labels of a qrel file, in file order. ``query``: each label's query, as an index into ``qids``."""

    qids: tuple[str, ...]
    query: NDArray[np.int64]
    pids: tuple[str, ...]
    grade: NDArray[np.int64]
    sha256: str
    skipped: tuple[str, ...] = ()
    """Unknown queries whose lines were dropped, as requested."""

    def __len__(self) -> int:
        return len(self.query)


def read_run_file(
    content: Content,
    *,
    known_qids: Collection[str] | None = None,
    skip_unknown: bool = False,
    order: str = "",
    max_depth: int | None = None,
) -> RunFile:
    """Read a run and check all of it.

    ``known_qids`` are the queries of the collection; without them, no query counts as unknown or unanswered. With
    ``skip_unknown``, lines of unknown queries are dropped instead of refused. ``max_depth`` is the maximum number of
    passages per query. ``order`` is one of:

    - ``score``: by score as a 32-bit float, descending; ties by pid, descending, as in trec_eval 9.0.4. The
      default for TREC runs.
    - ``rank``: by rank, ascending; equal ranks in file order. The only order of MS MARCO runs.

    Raises InvalidRunFile, UnknownQueries, UnreadableContent, EmptyFile or ReaderFailed. They name the file, and the
    line if one line is at fault.
    """
    columns = read_columns(content, (TREC_RUN, MSMARCO_RUN))
    if columns.score is None and order == "score":
        raise InvalidRunFile(content.name, 0, "an MS MARCO run has no scores to order by.")
    order = order or ("rank" if columns.score is None else "score")
    columns, skipped = _known_queries_only(columns, content, known_qids, skip_unknown)
    oddities = order_lines(columns, order)
    ranking = rank_first(columns)
    if max_depth is not None and ranking.depth > max_depth:
        line = next(islice(lines_with(content, ranking.qids[0]), max_depth, None), 0)
        raise InvalidRunFile(
            content.name,
            line,
            f"query {ranking.qids[0]} has more than {many(max_depth, 'passage')}.",
            TOO_DEEP,
        )
    return RunFile(
        "msmarco" if columns.score is None else "trec",
        columns.tag,
        order,
        content.sha256,
        content.size,
        ranking,
        RunReport(
            lines=int(ranking.lengths.sum()),
            queries=len(ranking.qids),
            depth=ranking.depth,
            unanswered=tuple(sorted(set(known_qids or ()) - set(columns.qids))),
            skipped=skipped,
            **vars(oddities),
        ),
    )


def run_problems(
    content: Content,
    *,
    known_qids: Collection[str] | None = None,
    skip_unknown: bool = False,
    max_depth: int | None = None,
) -> Problems:
    """Return all problems of a run file that ``read_run_file`` has refused."""
    found = problems_of_lines(
        content,
        (TREC_RUN, MSMARCO_RUN),
        known_qids=known_qids,
        skip_unknown=skip_unknown,
        max_depth=max_depth,
    )
    return with_lines(found, content)


def qrel_problems(content: Content, *, known_qids: Collection[str] | None = None) -> Problems:
    """Return all problems of a qrel file that ``read_qrel_file`` has refused."""
    found = problems_of_lines(content, (TREC_QRELS, SHORT_QRELS), known_qids=known_qids)
    return with_lines(found, content)


def read_runs(
    contents: Sequence[Content], read_run: Callable[[Content], RunFile] = read_run_file
) -> Iterator[RunFile | PoolingError]:
    """Read several runs at the same time, and yield them in the order given.

    Reading begins with the call. If ``read_run`` raises a PoolingError, the error is yielded in place of the run.
    """

    def read(content: Content) -> RunFile | PoolingError:
        try:
            return read_run(content)
        except PoolingError as refusal:
            return refusal

    small = all(one.path.is_file() and one.likely_bytes < BLOCK_BYTES for one in contents)
    count = SMALL_READERS if small else READERS
    readers = ThreadPoolExecutor(count, "read-runs")
    waiting = iter(contents)
    # One more run than there are readers is submitted, so that no reader waits until the caller takes a run.
    reading = deque(readers.submit(read, content) for content in islice(waiting, count + 1))

    def in_order() -> Iterator[RunFile | PoolingError]:
        with readers:
            while reading:
                file = reading.popleft().result()
                reading.extend(readers.submit(read, content) for content in islice(waiting, 1))
                yield file

    return in_order()


def _known_queries_only(
    columns: Columns, content: Content, known_qids: Collection[str] | None, skip_unknown: bool
) -> tuple[Columns, tuple[str, ...]]:
    """Return the columns without the lines of unknown queries, and the qids of these queries.

    Refuses unknown queries unless ``skip_unknown``, and a file without a known query. Also refuses a repeated passage
    of any query, known or not.
    """
    known = None if known_qids is None else frozenset(known_qids)
    unknown = tuple(qid for qid in columns.qids if known is not None and qid not in known)
    if unknown and not skip_unknown:
        line = next(lines_with(content, unknown[0]), 0)
        raise UnknownQueries(
            content.name, line, unknown, Guidance("Leave their lines out with ", Option("skip-unknown"), ".")
        )
    _refuse_duplicates(columns, content)
    known_lines = columns.without(unknown)
    if not len(known_lines):
        raise UnknownQueries(content.name, 0, unknown, "No lines are left without the unknown queries.")
    return known_lines, unknown


def _refuse_duplicates(columns: Columns, content: Content) -> None:
    rows = duplicate_rows(columns)
    if rows is None:
        return
    qid, pid = columns.qids[columns.query[rows[1]]], columns.spell(columns.codes[[rows[1]]])[0]
    lines = list(islice(lines_with(content, qid, pid), 2))
    where = f"already appears on line {lines[0]}" if len(lines) == 2 else "appears twice"
    raise columns.layout.refusal(
        content.name, lines[-1] if lines else 0, f"passage {pid} of query {qid} {where}."
    )


def read_qrel_file(
    content: Content, *, known_qids: Collection[str] | None = None, skip_unknown: bool = False
) -> Qrels:
    """Read and check all labels of a qrel file, as ``read_run_file`` does for runs."""
    columns = read_columns(content, (TREC_QRELS, SHORT_QRELS))
    columns, skipped = _known_queries_only(columns, content, known_qids, skip_unknown)
    pids = tuple(columns.spell(columns.codes).to_list())
    return Qrels(
        columns.qids,
        columns.query.astype(np.int64),
        pids,
        columns.number.astype(np.int64),
        content.sha256,
        skipped,
    )
