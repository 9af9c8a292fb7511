"""The errors of pooling.

PoolingError
├── InvalidFile              a file as a whole, or one of its lines
│   ├── UnreadableContent    compression truncated or corrupt, not UTF-8, over the size limit
│   ├── EmptyFile
│   ├── InvalidRunFile
│   ├── InvalidQrelFile
│   ├── InvalidQueryFile
│   ├── InvalidPassageFile
│   ├── InvalidClusterFile
│   └── ReaderFailed         our reader failed on it: a bug in the software
├── UnknownQueries           lines for queries that the collection does not have
├── AlreadyImported          the same content or name already exists
│   └── SameRun              a run with the same content or tag
├── NotFound                 no collection, run, qrel set or pool has that name
├── NoRoom                   no local copy of a stored run can be written
├── UnmappedLabels           labels of passages without a document
├── SplitRefused             an impossible division into public and private queries
│   └── AlreadySplit         the collection already has other private queries
├── SubmissionRefused        a run that the board's policy does not accept (yet)
├── UploadRefused            a file that is not accepted
│   └── QuotaReached         its sender has too many files waiting to be read
├── WrongOffset              a part that does not continue the file
├── KeyUsed                  an idempotency key of another request
├── NotWithdrawn             a run that is in use
├── MembersRefused           a change of members that is not allowed
├── BadGrant                 a spending grant with invalid values
├── GrantOver                a spending grant that was revoked
├── ClustersRefused          near-duplicates that cannot be found or changed as requested
└── PoolRefused              a pool that cannot be built as requested

For the S3 server: BucketAway (NotNow) if it does not answer, BucketRefused (Refusal) if it refuses access.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from config.errors import NotNow, Refusal
from config.guidance import Guidance, joined
from config.plurals import many


class PoolingError(Refusal):
    """The base class of pooling's errors."""


class InvalidFile(PoolingError):
    """A file was refused. ``line`` counts from 1; 0 means the whole file. ``kind`` names the problem in counts."""

    kind = ""

    def __init__(self, file: str, line: int, reason: str, next_step: str = "") -> None:
        where = f"{file}, line {line}" if line else file
        super().__init__(f"{where}: {reason}", next_step)
        self.file = file
        self.line = line
        self.reason = reason


class UnreadableContent(InvalidFile):
    """The bytes could not be read as text."""


class EmptyFile(InvalidFile):
    """The file has no lines."""


class InvalidRunFile(InvalidFile):
    """A run file with an invalid line."""


class OutsideCandidates(InvalidRunFile):
    """A rerank run with passages that are not among the collection's candidates."""

    kind = "candidates"


class InvalidQrelFile(InvalidFile):
    """A qrel file with an invalid line."""


class InvalidQueryFile(InvalidFile):
    """A query file with an invalid line."""


class InvalidPassageFile(InvalidFile):
    """A passage file with an invalid line."""


class InvalidClusterFile(InvalidFile):
    """A file of near-duplicate classes with an invalid line."""


class ReaderFailed(InvalidFile):
    """Our reader failed on the file, which is refused: reading it again would fail again."""

    def __init__(self, file: str, line: int, fault: BaseException) -> None:
        what = "the software could not read " + ("on from this line" if line else "it")
        super().__init__(
            file,
            line,
            f"{what} ({type(fault).__name__}).",
            "Look for anything unusual in the file. If it looks right, report this as a bug.",
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
    """The content was imported before, or the name is taken."""


class SameRun(AlreadyImported):
    """A run of ``team`` has the same content, or (``of_tag``) the same tag."""

    def __init__(self, message: str, next_step: str | Guidance, *, team: str, of_tag: bool) -> None:
        super().__init__(message, next_step)
        self.team, self.of_tag = team, of_tag


class NotFound(PoolingError):
    """There is nothing with the given name."""


class MembersRefused(PoolingError):
    """A change to a collection's members that is not allowed."""


class BadGrant(PoolingError):
    """A spending grant with invalid values."""


class GrantOver(PoolingError):
    """The spending grant was revoked."""


class UploadRefused(PoolingError):
    """A file that is not accepted: too large, incomplete, or with an invalid name."""

    def __init__(self, message: str, next_step: str = "", *, too_large: bool = False) -> None:
        super().__init__(message, next_step)
        self.too_large = too_large


class QuotaReached(UploadRefused):
    """Too many files of the sender are waiting, or they are too large."""


class WrongOffset(PoolingError):
    """A part that does not continue the file at ``offset``."""

    def __init__(self, message: str, next_step: str, offset: int) -> None:
        super().__init__(message, next_step)
        self.offset = offset


class NotWithdrawn(PoolingError):
    """The run is in use, so it cannot be withdrawn."""


class KeyUsed(PoolingError):
    """The idempotency key belongs to another upload."""


class PoolRefused(PoolingError):
    """A pool cannot be built as requested."""


class ClustersRefused(PoolingError):
    """Near-duplicates cannot be found, imported or removed as requested."""


class UnmappedLabels(PoolingError):
    """Labels cannot be mapped to documents, for example because passages have none."""


class SplitRefused(PoolingError):
    """The queries cannot be divided into public and private queries as requested."""


class AlreadySplit(SplitRefused):
    """The collection has other private queries, which stay as they are."""


class SubmissionRefused(PoolingError):
    """The board's policy does not accept this run.

    ``welcome_on`` is the day from which the policy accepts it, if any; ``missing`` lists the details that it
    requires; if there are several reasons, ``parts`` has a refusal for each.
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
        self.parts: tuple[SubmissionRefused, ...] = (self,)

    @classmethod
    def for_all(cls, refusals: Sequence[SubmissionRefused]) -> SubmissionRefused:
        """Return one refusal that lists all given reasons (at least one)."""
        first, *others = refusals
        if not others:
            return first
        days = [one.welcome_on for one in refusals if one.welcome_on]
        whole = cls(
            first.message,
            joined(
                " ", [first.next_step, *(part for one in others for part in (one.message, one.next_step))]
            ),
            welcome_on=max(days, default=None),
            missing=first.missing,
        )
        whole.parts = tuple(refusals)
        return whole


class TeamRefused(PoolingError):
    """A team cannot be created or changed as requested."""


class NoRoom(PoolingError):
    """A local copy of a stored run cannot be written."""


class BucketAway(NotNow):
    """The bucket's server does not answer, or is temporarily unavailable."""


class BucketRefused(Refusal):
    """The bucket's server refuses access: the bucket, its region or the keys are wrong."""

    fault = "outside"
