"""The small interface behind which every crowd stands.

Judging knows postings, places, submissions and payments; a crowd module turns them into its own calls. Every
call with an effect takes a ``key``: the same key means the same intent, and asking twice has one effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

#: How many workers one message goes to: one call that is lost leaves no more than these in doubt.
MESSAGE_AT_ONCE = 100


@dataclass(frozen=True)
class PostingKind:
    """What all places of a posting have in common."""

    title: str
    description: str
    keywords: str
    reward: Decimal
    assignment_seconds: int
    auto_approval_seconds: int
    qualifications: Sequence[dict[str, Any]] = ()


@dataclass(frozen=True)
class PostedPlace:
    """A place as the crowd knows it: open to be taken or worked on, held by a worker, submitted on."""

    crowd_id: str
    key: str
    expires_at: datetime | None
    open: bool
    has_submission: bool = False
    held: bool = False
    posted_at: datetime | None = None


@dataclass(frozen=True)
class QualificationKind:
    """A qualification as the crowd describes it; an inactive one can be granted to nobody."""

    name: str
    active: bool


@dataclass(frozen=True)
class CrowdSubmission:
    """An assignment that a worker submitted; ``answers`` are what the final form carried."""

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
    """A crowd's fee on a payment of ``amount`` dollars: a share, and a least fee."""

    share: Decimal
    least: Decimal

    def on(self, amount: Decimal) -> Decimal:
        """The fee in dollars, half a cent rounded up; nothing on nothing."""
        if amount <= 0:
            return Decimal("0.00")
        return max((amount * self.share).quantize(Decimal("0.01"), rounding="ROUND_HALF_UP"), self.least)


@dataclass(frozen=True)
class Arrival:
    """Who came to a judging page, as the address says: nothing of it is sure until the crowd's list confirms it.

    Unless the crowd signs its addresses (:attr:`Crowd.signs_arrivals`): then ``taken_at`` says when this worker took
    this assignment of this place.

    In a preview all but ``preview`` may be empty. ``place_crowd_id`` is empty at a crowd whose addresses do not tell
    places apart; the place is then known when the crowd lists the submission. ``submit_to`` is what the address says
    of the way back, kept for :meth:`Crowd.finish`; workers can read it.
    """

    assignment_id: str
    place_crowd_id: str
    crowd_worker_id: str
    submit_to: str
    preview: bool
    taken_at: datetime | None = None


@dataclass(frozen=True)
class SentOff:
    """A task that its worker has sent off from our page, and of which the crowd's site has yet to hear.

    ``campaign_key`` begins the key of every place of the campaign; ``crowd_worker_id`` is empty when the worker was
    forgotten; ``answers`` are (field, value) in the order shown.
    """

    campaign_key: str
    assignment_id: str
    crowd_worker_id: str
    submit_to: str
    answers: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class FormPost:
    """The last step is a form that the worker's browser posts to the crowd's site."""

    address: str
    fields: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Redirect:
    """The last step leads the worker's browser to ``address``, which carries ``code``; a worker may type it, too."""

    address: str
    code: str


@dataclass(frozen=True)
class Sites:
    """The origins of a crowd's site that may show the page in a frame, and those that take its last form."""

    frames: Sequence[str] = ()
    forms: Sequence[str] = ()


class Crowd(Protocol):
    """What every crowd offers.

    A place's ``key`` is the key of its posting, a dash, and the place's number in the posting, from 1: a crowd that
    knows a number of places rather than each of them can count by it.
    """

    fees: Fees
    #: Whether places can be hidden from workers on a list of ours. A crowd without lists is never asked for one, and
    #: our own pages alone refuse who is excluded.
    keeps_block_lists: bool
    #: Whether the crowd signs who arrives. Then :meth:`read_arrival` refuses what is not signed, and whoever gets
    #: past it holds a task that nobody else can take away. Otherwise arrivals are paced, and leases can be displaced.
    signs_arrivals: bool
    #: Whether a bonus can be paid for an assignment whose time ran out before it came in.
    pays_unsubmitted: bool

    def read_arrival(self, params: Mapping[str, str]) -> Arrival:
        """Who arrives, from the parameters of the address; raises :class:`judging.errors.ArrivalRefused`."""

    def finish(self, sent: SentOff) -> FormPost | Redirect:
        """How the worker's browser tells the crowd's site that the task is done."""

    def sites(self) -> Sites:
        """What the page's security policy has to allow."""

    def given_back(self, assignment_ids: Sequence[str]) -> list[str]:
        """Those of the assignments that ended without a submission and that nobody else will be given.

        Empty at a crowd that hands an assignment on under the same id.
        """

    def is_at_work(self, assignment_id: str, crowd_worker_id: str) -> bool:
        """Whether the crowd knows this assignment as held by this worker now.

        Asked where an address names no place, before a task is given; always true where it names one.
        """

    def create_kind(self, kind: PostingKind) -> str:
        """The crowd's id of this kind of place; the same content gives the same id."""

    def post_place(self, *, kind_id: str, url: str, lifetime_seconds: int, key: str) -> PostedPlace:
        """Offer one place; raises :class:`judging.errors.CrowdAlready` when this key was used before."""

    def place(self, crowd_id: str) -> PostedPlace:
        """The place with the crowd's id."""

    def asked_of_workers(self, crowd_id: str) -> Sequence[dict[str, Any]]:
        """The qualifications that the place asks for as the crowd has it, in the protocol's form."""

    def find_place(self, key: str) -> PostedPlace | None:
        """The place that was posted under ``key``, or None."""

    def close_place(self, crowd_id: str) -> None:
        """Let nobody take this place from now on; who holds it may finish."""

    def places(self) -> Iterator[PostedPlace]:
        """Every place of this account, newest first."""

    def submissions(self, place_crowd_id: str) -> list[CrowdSubmission]:
        """Every submission on a place, whatever its status."""

    def submission(self, assignment_id: str) -> CrowdSubmission:
        """One submission, as it stands now."""

    def approve(self, assignment_id: str, *, override_rejection: bool = False) -> None:
        """Pay the reward; approving twice is harmless. A rejected one only when the rejection is overridden."""

    def reject(self, assignment_id: str, *, reason: str) -> None:
        """Refuse to pay the reward, telling the worker why; rejecting twice is harmless."""

    def pay_bonus(
        self, *, assignment_id: str, crowd_worker_id: str, amount: Decimal, reason: str, key: str
    ) -> None:
        """Pay dollars on top; raises :class:`judging.errors.CrowdAlready` when this key was used before."""

    def bonuses(self, *, assignment_id: str = "", place_crowd_id: str = "") -> list[PaidBonus]:
        """Every bonus paid for an assignment, or for all of a place."""

    def create_block_list(self, *, name: str, description: str) -> str:
        """The crowd's id of a new list of workers who are spared our places; CrowdAlready if there is one."""

    def find_block_list(self, name: str) -> str | None:
        """The crowd's id of our list of that name, or None."""

    def block(self, block_list: str, crowd_worker_id: str) -> None:
        """Put a worker on the list, without a message; twice is harmless."""

    def unblock(self, block_list: str, crowd_worker_id: str) -> None:
        """Take a worker off the list; one who is not on it is a success."""

    def message(self, *, crowd_worker_ids: Sequence[str], subject: str, text: str) -> dict[str, str]:
        """Write to at most MESSAGE_AT_ONCE workers; returns worker id → why, for those whom it did not reach."""

    def balance(self) -> Decimal:
        """Dollars that can be spent."""

    def qualification(self, crowd_key: str) -> QualificationKind:
        """The qualification with the crowd's id; raises :class:`judging.errors.CrowdNever` when there is none."""
