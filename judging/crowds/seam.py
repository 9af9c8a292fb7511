"""The interface that every crowd implements.

Judging works with postings, places, submissions and payments; a crowd module translates them into its own calls.
Calls that change something take a ``key``: repeating a call with the same key has no further effect.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

#: The maximum number of workers per message call. If a call's reply is lost, delivery is uncertain for no more
#: workers than this.
MESSAGE_AT_ONCE = 100


@dataclass(frozen=True)
class PostingKind:
    """The properties that all places of a posting share."""

    title: str
    description: str
    keywords: str
    reward: Decimal
    assignment_seconds: int
    auto_approval_seconds: int
    qualifications: Sequence[dict[str, Any]] = ()


@dataclass(frozen=True)
class PostedPlace:
    """A place as the crowd lists it. ``open``: a worker can take it or finish it; ``held``: a worker has it now."""

    crowd_id: str
    key: str
    expires_at: datetime | None
    open: bool
    has_submission: bool = False
    held: bool = False
    posted_at: datetime | None = None


@dataclass(frozen=True)
class QualificationKind:
    """A qualification as the crowd describes it. An inactive one cannot be granted."""

    name: str
    active: bool


@dataclass(frozen=True)
class CrowdSubmission:
    """An assignment that a worker submitted. ``answers`` are the fields of the final form."""

    assignment_id: str
    place_crowd_id: str
    crowd_worker_id: str
    status: str
    submitted_at: datetime | None
    auto_approval_at: datetime | None
    answers: dict[str, str]


@dataclass(frozen=True)
class PaidBonus:
    """A bonus as the crowd lists it."""

    assignment_id: str
    crowd_worker_id: str
    amount: Decimal
    reason: str
    granted_at: datetime | None = None


@dataclass(frozen=True)
class Fees:
    """A crowd's fee on a payment of ``amount`` dollars: a share, with a minimum."""

    share: Decimal
    least: Decimal

    def on(self, amount: Decimal) -> Decimal:
        """Return the fee in dollars, with half a cent rounded up. There is no fee on zero."""
        if amount <= 0:
            return Decimal("0.00")
        return max((amount * self.share).quantize(Decimal("0.01"), rounding="ROUND_HALF_UP"), self.least)


@dataclass(frozen=True)
class Arrival:
    """A worker's arrival at a judging page, as its URL states it: unconfirmed until the crowd lists the submission.

    A crowd that signs its addresses (:attr:`Crowd.signs_arrivals`) confirms it at once. ``taken_at`` is then the time
    at which this worker took this assignment of this place.

    In a preview, every field except ``preview`` can be empty. ``place_crowd_id`` is empty at a crowd whose addresses
    do not identify places; the crowd's list of submissions then does. ``submit_to`` is the return address from the
    URL, kept for :meth:`Crowd.finish`; workers can read it.
    """

    assignment_id: str
    place_crowd_id: str
    crowd_worker_id: str
    submit_to: str
    preview: bool
    taken_at: datetime | None = None


@dataclass(frozen=True)
class SentOff:
    """A task that was submitted on our page but not yet on the crowd's site.

    ``campaign_key`` is the prefix of all keys of the campaign's places. ``crowd_worker_id`` is empty if the worker
    was forgotten. ``answers`` are (field, value) in the order shown.
    """

    campaign_key: str
    assignment_id: str
    crowd_worker_id: str
    submit_to: str
    answers: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class FormPost:
    """A last step in which the worker's browser posts a form to the crowd's site."""

    address: str
    fields: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Redirect:
    """A last step that redirects to ``address``, which contains ``code``. A worker can also type the code."""

    address: str
    code: str


@dataclass(frozen=True)
class Sites:
    """The origins that can show the page in a frame, and those that receive its last form."""

    frames: Sequence[str] = ()
    forms: Sequence[str] = ()


class Crowd(Protocol):
    """The interface of a crowd.

    A place's ``key`` is the key of its posting, a dash, and the place's number in the posting, from 1. Such keys also
    suit a crowd that only counts its places and gives them no ids.
    """

    fees: Fees
    #: Whether places can be hidden from workers on one of our lists. If not, no list is requested and only our own
    #: pages refuse excluded workers.
    keeps_block_lists: bool
    #: Whether the crowd signs arrivals. If so, :meth:`read_arrival` refuses unsigned ones, and nobody else can take
    #: a worker's task away. Otherwise arrivals are rate-limited, and leases can be displaced.
    signs_arrivals: bool
    #: Whether a bonus can be paid for an assignment that timed out before it was submitted.
    pays_unsubmitted: bool

    def read_arrival(self, params: Mapping[str, str]) -> Arrival:
        """Return the arrival described by an address's parameters. Raises :class:`judging.errors.ArrivalRefused`."""

    def finish(self, sent: SentOff) -> FormPost | Redirect:
        """Return the last step, with which the worker's browser reports the finished task to the crowd's site."""

    def sites(self) -> Sites:
        """Return the sites that the page's security policy must allow."""

    def given_back(self, assignment_ids: Sequence[str]) -> list[str]:
        """Return the assignments that ended without a submission and will not be given to anyone else.

        Empty at a crowd that reuses an assignment's id for the next worker.
        """

    def returned_at(self, assignment_id: str) -> datetime | None:
        """Return when the worker returned the assignment; None if the worker did not, or the crowd has no record."""

    def is_at_work(self, assignment_id: str, crowd_worker_id: str) -> bool:
        """Return whether the crowd confirms that this worker holds this assignment now.

        Our page asks this before it gives out a task if the address names no place. Always True if addresses name
        places.
        """

    def create_kind(self, kind: PostingKind) -> str:
        """Return the crowd's id for this kind of place. The same content gives the same id."""

    def post_place(self, *, kind_id: str, url: str, lifetime_seconds: int, key: str) -> PostedPlace:
        """Offer one place. Raises :class:`judging.errors.CrowdAlready` if this key was used before."""

    def place(self, crowd_id: str) -> PostedPlace:
        """Return the place with the crowd's id."""

    def asked_of_workers(self, crowd_id: str) -> Sequence[dict[str, Any]]:
        """Return the qualifications that the crowd requires for the place, in the protocol's format."""

    def find_place(self, key: str) -> PostedPlace | None:
        """Return the place that was posted under ``key``, or None."""

    def close_place(self, crowd_id: str) -> None:
        """Prevent anyone from taking this place from now on. A worker who holds it can finish."""

    def places(self) -> Iterator[PostedPlace]:
        """Yield every place of this account, newest first."""

    def submissions(self, place_crowd_id: str) -> list[CrowdSubmission]:
        """Return every submission on a place, whatever its status."""

    def submission(self, assignment_id: str) -> CrowdSubmission:
        """Return the current state of one submission."""

    def approve(self, assignment_id: str, *, override_rejection: bool = False) -> None:
        """Pay the reward; repeating it is harmless. A rejected submission requires ``override_rejection``."""

    def reject(self, assignment_id: str, *, reason: str) -> None:
        """Refuse to pay the reward and give the worker the reason; repeating it is harmless."""

    def pay_bonus(
        self, *, assignment_id: str, crowd_worker_id: str, amount: Decimal, reason: str, key: str
    ) -> None:
        """Pay a bonus in dollars. Raises :class:`judging.errors.CrowdAlready` if this key was used before."""

    def bonuses(self, *, assignment_id: str = "", place_crowd_id: str = "") -> list[PaidBonus]:
        """Return every bonus paid for an assignment, or for a whole place."""

    def create_block_list(self, *, name: str, description: str) -> str:
        """Create a list of workers who cannot see our places; return the crowd's id for it. Raises CrowdAlready."""

    def find_block_list(self, name: str) -> str | None:
        """Return the crowd's id of our list with this name, or None."""

    def block(self, block_list: str, crowd_worker_id: str) -> None:
        """Put a worker on the list without a message; repeating it is harmless."""

    def unblock(self, block_list: str, crowd_worker_id: str) -> None:
        """Take a worker off the list; succeeds if the worker is not on it."""

    def message(self, *, crowd_worker_ids: Sequence[str], subject: str, text: str) -> dict[str, str]:
        """Send a message to at most MESSAGE_AT_ONCE workers. Maps ids of workers not reached to errors."""

    def balance(self) -> Decimal:
        """Return the dollars that can be spent."""

    def qualification(self, crowd_key: str) -> QualificationKind:
        """Return the qualification with the crowd's id. Raises :class:`judging.errors.CrowdNever` if unknown."""
