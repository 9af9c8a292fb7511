"""What pooling refuses, and why.

PoolingError
├── InvalidFile              a file as a whole, or one of its lines
│   ├── UnreadableContent    compression truncated or corrupt, not UTF-8, over the size limit
│   ├── EmptyFile
│   ├── InvalidRunFile
│   ├── InvalidQrelFile
│   ├── InvalidQueryFile
│   └── InvalidPassageFile
├── UnknownQueries           lines for queries the collection does not have
├── AlreadyImported          the same content, or the same name, is there
├── NotFound                 no collection, run, qrel set or pool of that name
├── NoRoom                   no local copy of a stored run can be kept
└── PoolRefused              a pool that cannot be built as asked
"""

from __future__ import annotations

from collections.abc import Sequence

from config.errors import Refusal


class PoolingError(Refusal):
    """The base of everything pooling refuses."""


class InvalidFile(PoolingError):
    """A file was refused. ``line`` counts from 1; 0 when the reason concerns the file as a whole."""

    def __init__(self, file: str, line: int, reason: str, next_step: str = "") -> None:
        where = f"{file}, line {line}" if line else file
        super().__init__(f"{where}: {reason}", next_step)
        self.file = file
        self.line = line
        self.reason = reason


class UnreadableContent(InvalidFile):
    """The bytes could not be read as text."""


class EmptyFile(InvalidFile):
    """The file holds no line."""


class InvalidRunFile(InvalidFile):
    """A run file with a line that is wrong."""


class InvalidQrelFile(InvalidFile):
    """A qrel file with a line that is wrong."""


class InvalidQueryFile(InvalidFile):
    """A query file with a line that is wrong."""


class InvalidPassageFile(InvalidFile):
    """A passage file with a line that is wrong."""


class UnknownQueries(InvalidFile):
    """A file names queries that the collection does not have. ``qids`` lists all of them."""

    shown = 20

    def __init__(self, file: str, line: int, qids: Sequence[str], next_step: str = "") -> None:
        listed = ", ".join(qids[: self.shown])
        more = f" and {len(qids) - self.shown} more" if len(qids) > self.shown else ""
        queries = "1 query is" if len(qids) == 1 else f"{len(qids)} queries are"
        super().__init__(file, line, f"{queries} not in the collection: {listed}{more}.", next_step)
        self.qids = tuple(qids)


class AlreadyImported(PoolingError):
    """The same content, or the same name, is already there."""


class NotFound(PoolingError):
    """Nothing of that name is there."""


class PoolRefused(PoolingError):
    """A pool cannot be built as asked."""


class NoRoom(PoolingError):
    """No local copy of a stored run can be kept."""
