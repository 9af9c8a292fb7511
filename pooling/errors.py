"""What pooling refuses, and why.

PoolingError
├── InvalidFile              a file as a whole, or one of its lines
│   ├── UnreadableContent    compression truncated or corrupt, not UTF-8, over the size limit
│   ├── EmptyFile
│   ├── InvalidRunFile
│   ├── InvalidQrelFile
│   ├── InvalidQueryFile
│   ├── InvalidPassageFile
│   └── ReaderFailed         our reader broke on it: a fault of the software, told as a refusal
├── UnknownQueries           lines for queries the collection does not have
├── AlreadyImported          the same content, or the same name, is there
├── NotFound                 no collection, run, qrel set or pool of that name
├── NoRoom                   no local copy of a stored run can be kept
├── SplitRefused             public and private queries that cannot be told apart as asked
│   └── AlreadySplit         there are other private queries
├── SubmissionRefused        a run that the board's policy does not let in (yet)
├── UploadRefused            a file that is not taken in
│   └── QuotaReached         its sender has too much here that is not read yet
├── WrongOffset              a part of a file that does not continue it
├── KeyUsed                  an idempotency key that stands for something else
├── NotWithdrawn             a run that others rest on
├── MembersRefused           a change of members that cannot be
├── BadGrant                 a spending grant that makes no sense
├── GrantOver                a spending grant that was revoked
└── PoolRefused              a pool that cannot be built as asked
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from config.errors import Refusal
from config.plurals import many


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


class ReaderFailed(InvalidFile):
    """Our reader broke on the file. It is refused all the same: a file that waited would break it again."""

    def __init__(self, file: str, line: int, fault: BaseException) -> None:
        what = "the software could not read " + ("on from this line" if line else "it")
        super().__init__(
            file,
            line,
            f"{what} ({type(fault).__name__}).",
            "Look for anything unusual in the file. If it looks right, report this as a fault of the software.",
        )


class UnknownQueries(InvalidFile):
    """A file names queries that the collection does not have. ``qids`` lists all of them."""

    shown = 20

    def __init__(self, file: str, line: int, qids: Sequence[str], next_step: str = "") -> None:
        listed = ", ".join(qids[: self.shown])
        more = f" and {len(qids) - self.shown} more" if len(qids) > self.shown else ""
        queries = many(len(qids), "query is", "queries are")
        super().__init__(file, line, f"{queries} not in the collection: {listed}{more}.", next_step)
        self.qids = tuple(qids)


class AlreadyImported(PoolingError):
    """The same content, or the same name, is already there."""


class NotFound(PoolingError):
    """Nothing of that name is there."""


class MembersRefused(PoolingError):
    """A change of a collection's members that cannot be."""


class BadGrant(PoolingError):
    """A spending grant that makes no sense, whatever there is."""


class GrantOver(PoolingError):
    """The spending grant was revoked."""


class UploadRefused(PoolingError):
    """A file that is not taken in: too large, cut short, or with a name that cannot be."""

    def __init__(self, message: str, next_step: str = "", *, too_large: bool = False) -> None:
        super().__init__(message, next_step)
        self.too_large = too_large


class QuotaReached(UploadRefused):
    """The sender has too many files here, or too large ones, that are not read yet."""


class WrongOffset(PoolingError):
    """A part that does not continue the file; ``offset`` is where it goes on."""

    def __init__(self, message: str, next_step: str, offset: int) -> None:
        super().__init__(message, next_step)
        self.offset = offset


class NotWithdrawn(PoolingError):
    """Something rests on the run, so it stays."""


class KeyUsed(PoolingError):
    """The idempotency key stands for another upload."""


class PoolRefused(PoolingError):
    """A pool cannot be built as asked."""


class SplitRefused(PoolingError):
    """Public and private queries cannot be defined as asked."""


class AlreadySplit(SplitRefused):
    """The collection has other private queries, which stay as they are."""


class SubmissionRefused(PoolingError):
    """The board's policy does not let this run in.

    ``welcome_on`` is the day from which it does, if any will; ``missing`` are the facts it asks for.
    """

    def __init__(
        self,
        message: str,
        next_step: str = "",
        *,
        welcome_on: date | None = None,
        missing: Sequence[str] = (),
    ) -> None:
        super().__init__(message, next_step)
        self.welcome_on = welcome_on
        self.missing = tuple(missing)


class NoRoom(PoolingError):
    """No local copy of a stored run can be kept."""
