"""The interface that every crowd implements.

Judging works with postings, places, submissions and payments. A crowd's module translates them into that crowd's
calls. A call that posts a place or pays a bonus has a ``key``. As long as the crowd remembers the key, repeating the
call has no further effect and raises CrowdAlready.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

#: The maximum number of workers to whom one call sends a message. If the call's reply is lost, delivery is uncertain
#: only for these workers.
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
    """A place as the crowd lists it.

    A place is ``open`` while a worker can take or finish it, and ``held`` while a worker has taken it and not yet
    submitted it.
    """

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
    """A bonus that was paid for an assignment, as the crowd lists it."""

    assignment_id: str
    crowd_worker_id: str
    amount: Decimal
    reason: str
    granted_at: datetime | None = None


@dataclass(frozen=True)
class Fees:
    """A crowd's fee on each payment: a share of the amount, and at least ``least`` dollars."""

    share: Decimal
    least: Decimal

    def on(self, amount: Decimal) -> Decimal:
        """Return the fee on a payment of ``amount`` dollars, in dollars. Half a cent is rounded up."""
        if amount <= 0:
            return Decimal("0.00")
        return max((amount * self.share).quantize(Decimal("0.01"), rounding="ROUND_HALF_UP"), self.least)


@dataclass(frozen=True)
class Arrival:
    """A worker's arrival at a judging page, as the page's URL describes it.

    The arrival is unconfirmed until the crowd lists the submission, unless the crowd signs its URLs
    (:attr:`Crowd.signs_arrivals`). Then ``taken_at`` is the time at which this worker took this assignment.

    In a preview, every field except ``preview`` can be empty. ``place_crowd_id`` is empty at a crowd whose URLs do
    not identify places; the place is then known only from the crowd's list of submissions. ``submit_to`` is the site
    to which :meth:`Crowd.finish` sends the final form. It comes from the URL, so workers can read it.
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

    ``campaign_key`` is the prefix of the keys of all the campaign's places. ``crowd_worker_id`` is empty if the
    worker's identity was erased. ``answers`` are (field, value), in the order in which the page showed them.
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
    """The origins that can show the judging page in a frame, and those that receive its final form."""

    frames: Sequence[str] = ()
    forms: Sequence[str] = ()


class Crowd(Protocol):
    """The interface of a crowd.

    A place's ``key`` is the key of its posting, a dash, and the place's number in the posting, from 1. So keys also
    work at a crowd that only counts its places and gives them no ids.
    """

    fees: Fees
    #: Whether the crowd can hide places from the workers on a list. If not, no list is created, and only our own
    #: pages refuse excluded workers.
    keeps_block_lists: bool
    #: Whether the crowd signs arrivals. If so, :meth:`read_arrival` refuses unsigned ones. Otherwise arrivals can be
    #: forged, so they are rate-limited, and a held task can go to another arrival (judging.tasks.displacement).
    signs_arrivals: bool
    #: Whether a bonus can be paid for an assignment that timed out before it was submitted.
    pays_unsubmitted: bool

    def read_arrival(self, params: Mapping[str, str]) -> Arrival:
        """Return the arrival that a URL's parameters describe. Raises :class:`judging.errors.ArrivalRefused`."""

    def finish(self, sent: SentOff) -> FormPost | Redirect:
        """Return the step with which the worker's browser reports the finished task to the crowd's site."""

    def sites(self) -> Sites:
        """Return the crowd's sites, which the page's content security policy must allow."""

    def given_back(self, assignment_ids: Sequence[str]) -> list[str]:
        """Return those of the assignments that ended without a submission and that nobody else will get.

        The list is empty at a crowd that reuses an assignment's id for the next worker.
        """

    def returned_at(self, assignment_id: str) -> datetime | None:
        """Return when the worker returned the assignment, or None if it was not returned or the crowd cannot tell."""

    def is_at_work(self, assignment_id: str, crowd_worker_id: str) -> bool:
        """Return whether the crowd confirms that this worker is working on this assignment now.

        Our page checks this before it gives out a task if the URL names no place. At a crowd whose URLs name places,
        this is always True.
        """

    def create_kind(self, kind: PostingKind) -> str:
        """Create this kind of posting at the crowd, and return its id there. The same content gives the same id."""

    def post_place(self, *, kind_id: str, url: str, lifetime_seconds: int, key: str) -> PostedPlace:
        """Offer one place. Raises :class:`judging.errors.CrowdAlready` if this key was used before."""

    def place(self, crowd_id: str) -> PostedPlace:
        """Return the place to which the crowd gave this id."""

    def asked_of_workers(self, crowd_id: str) -> Sequence[dict[str, Any]]:
        """Return the qualifications that the place requires of workers, in the format of the crowd's protocol."""

    def find_place(self, key: str) -> PostedPlace | None:
        """Return the place that was posted under ``key``, or None."""

    def close_place(self, crowd_id: str) -> None:
        """Stop offering this place. A worker who has already taken it can finish."""

    def places(self) -> Iterator[PostedPlace]:
        """Yield every place of this account, newest first."""

    def submissions(self, place_crowd_id: str) -> list[CrowdSubmission]:
        """Return every submission of the place, whatever its status."""

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
        """Return every bonus paid for an assignment, or for all assignments of a place."""

    def create_block_list(self, *, name: str, description: str) -> str:
        """Create a list of workers from whom places are hidden, and return its id. Raises CrowdAlready."""

    def find_block_list(self, name: str) -> str | None:
        """Return the crowd's id of our list with this name, or None."""

    def block(self, block_list: str, crowd_worker_id: str) -> None:
        """Put a worker on the list without a message; repeating it is harmless."""

    def unblock(self, block_list: str, crowd_worker_id: str) -> None:
        """Take a worker off the list; succeeds if the worker is not on it."""

    def message(self, *, crowd_worker_ids: Sequence[str], subject: str, text: str) -> dict[str, str]:
        """Send a message to at most MESSAGE_AT_ONCE workers.

        Return {worker id: error} for the workers who were not reached.
        """

    def balance(self) -> Decimal:
        """Return the account's available balance in dollars."""

    def qualification(self, crowd_key: str) -> QualificationKind:
        """Return the qualification with the crowd's id. Raises :class:`judging.errors.CrowdNever` if unknown."""
