"""The errors of pooling.

PoolingError
├── InvalidFile              a file that is refused, as a whole or because of one of its lines
│   ├── UnreadableContent    compression truncated or corrupt, not UTF-8, over the size limit
│   ├── EmptyFile
│   ├── InvalidRunFile
│   │   └── OutsideCandidates    passages of a rerank run that are not candidates
│   ├── InvalidQrelFile
│   ├── InvalidQueryFile
│   ├── InvalidPassageFile
│   ├── InvalidClusterFile
│   ├── ReaderFailed         a reader failed on the file: a bug in the software
│   └── UnknownQueries       lines for queries that the collection does not have
├── AlreadyImported          content that was imported before, or a name that is taken
│   └── SameRun              a run with the content or the tag of another run
├── NotFound                 a collection, run, qrel set, pool or other object that does not exist
├── files.run_tables.UnreadableCell  a cell of a table that cannot be read
├── NoRoom                   a local copy of a stored run that cannot be written
├── UnmappedLabels           labels of passages without a document
├── SplitRefused             an impossible division into public and private queries
│   └── AlreadySplit         a different division of queries that are already divided
├── SubmissionRefused        a run that the board's policy or rounds do not accept (yet)
│   └── RoundInUse           a round that cannot be deleted because it has runs
├── TeamRefused              a change to a team, or an application, that is not allowed
│   └── TeamConflict         a change or application that the present state prevents
├── UploadRefused            a file that is not accepted
│   ├── UploadOver           a file that was already read, imported, discarded or refused
│   └── QuotaReached         a file whose sender has too many unread files
├── WrongOffset              a part of a file that does not begin where the received bytes end
├── KeyUsed                  an idempotency key that was used for another request
├── NotWithdrawn             a run that is in use
├── MembersRefused           a change of members that is not allowed
├── BadGrant                 a spending grant with invalid values
├── GrantOver                a spending grant that was revoked
├── ClustersRefused          near-duplicates that cannot be found or changed as requested
└── PoolRefused              a pool that cannot be built as requested

Two errors are not PoolingErrors: BucketAway (a NotNow) if the S3 server does not answer, and BucketRefused (a
Refusal) if it refuses access.
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
    """A refused file. ``line`` counts from 1; 0 means the whole file. Problems are counted by their ``kind``."""

    kind = ""

    def __init__(self, file: str, line: int, reason: str, next_step: str = "") -> None:
        where = f"{file}, line {line}" if line else file
        super().__init__(f"{where}: {reason}", next_step)
        self.file = file
        self.line = line
        self.reason = reason


class UnreadableContent(InvalidFile):
    """A file whose bytes cannot be read as text."""


class EmptyFile(InvalidFile):
    """A file without lines, or with blank lines only."""


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
    """A file on which a reader failed because of a bug. It is refused, because a second attempt would fail, too."""

    def __init__(self, file: str, line: int, fault: BaseException) -> None:
        what = "the software could not read " + ("on from this line" if line else "it")
        super().__init__(
            file,
            line,
            f"{what} ({type(fault).__name__}).",
            "Look for anything unusual in the file. If it looks right, report this as a bug.",
        )


class UnknownQueries(InvalidFile):
    """A file with lines for queries that the collection does not have. ``qids`` lists all of these queries."""

    shown = 20

    def __init__(self, file: str, line: int, qids: Sequence[str], next_step: str = "") -> None:
        listed = ", ".join(qids[: self.shown])
        more = f" and {len(qids) - self.shown} more" if len(qids) > self.shown else ""
        queries = many(len(qids), "query is", "queries are")
        super().__init__(file, line, f"{queries} not in the collection: {listed}{more}.", next_step)
        self.qids = tuple(qids)


class AlreadyImported(PoolingError):
    """Content that was imported before, or a name that is taken."""

    conflict = True


class SameRun(AlreadyImported):
    """A run with the tag (``of_tag``) or the content of an existing run, which belongs to ``team``."""

    def __init__(self, message: str, next_step: str | Guidance, *, team: str, of_tag: bool) -> None:
        super().__init__(message, next_step)
        self.team, self.of_tag = team, of_tag


class NotFound(PoolingError):
    """A collection, run or other object that does not exist."""


class MembersRefused(PoolingError):
    """A change to a collection's members that is not allowed."""

    conflict = True


class BadGrant(PoolingError):
    """A spending grant with invalid values."""


class GrantOver(PoolingError):
    """A spending grant that cannot be changed because it was revoked."""

    conflict = True


class UploadRefused(PoolingError):
    """A file that is not accepted: too large, incomplete, or with an invalid name.

    Also raised for a file whose sender may no longer submit it.
    """

    def __init__(self, message: str, next_step: str = "", *, too_large: bool = False) -> None:
        super().__init__(message, next_step)
        self.too_large = too_large


class UploadOver(UploadRefused):
    """A file that was already read, imported, discarded or refused, so nothing more can be done with it."""

    conflict = True


class QuotaReached(UploadRefused):
    """A file that is not accepted because its sender's unread files are too many or too large."""

    conflict = True


class WrongOffset(PoolingError):
    """A part of a file that does not begin at ``offset``, the position of the next byte expected."""

    conflict = True

    def __init__(self, message: str, next_step: str, offset: int) -> None:
        super().__init__(message, next_step)
        self.offset = offset


class NotWithdrawn(PoolingError):
    """A run that cannot be withdrawn because it is in use."""

    conflict = True


class KeyUsed(PoolingError):
    """An idempotency key that was already used for another request."""

    conflict = True


class PoolRefused(PoolingError):
    """A pool that cannot be built as requested."""


class ClustersRefused(PoolingError):
    """Near-duplicates that cannot be found, imported or removed as requested."""


class UnmappedLabels(PoolingError):
    """Labels that cannot be mapped to documents, for example because some passages have no document."""


class SplitRefused(PoolingError):
    """A division of the queries into public and private ones that is not possible as requested."""


class AlreadySplit(SplitRefused):
    """A second, different division of a collection's queries. The first division is permanent."""

    conflict = True


class SubmissionRefused(PoolingError):
    """The board's policy, its rounds or a team's rights do not allow this run or this change to a run.

    Also raised for a policy or round with invalid values.

    ``welcome_on`` is the day from which the policy accepts the run, if known. ``missing`` lists the required details
    that the run lacks. ``parts`` has one refusal for each reason.
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
        """Combine one or more refusals into a single refusal that states all of their reasons."""
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
            missing=tuple(dict.fromkeys(name for one in refusals for name in one.missing)),
        )
        whole.parts = tuple(refusals)
        return whole


class RoundInUse(SubmissionRefused):
    """A round that cannot be deleted because runs were submitted in it."""

    conflict = True


class TeamRefused(PoolingError):
    """A change to a team, or an application to submit as a team, that is not allowed."""


class TeamConflict(TeamRefused):
    """A change or application that the present state prevents, such as a name that is taken."""

    conflict = True


class NoRoom(PoolingError):
    """A local copy of a stored run that cannot be written."""


class BucketAway(NotNow):
    """An S3 server that does not answer, or is temporarily unavailable."""


class BucketRefused(Refusal):
    """An S3 server that refuses access because the bucket, its region or the keys are wrong."""

    fault = "outside"
