"""The small interface behind which every crowd stands.

Judging knows postings, places, submissions and payments; a crowd module turns them into its own calls. Every
call with an effect takes a ``key``: the same key means the same intent, and asking twice has one effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol


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


class Crowd(Protocol):
    """What every crowd offers."""

    fees: Fees

    def create_kind(self, kind: PostingKind) -> str:
        """The crowd's id of this kind of place; the same content gives the same id."""

    def post_place(self, *, kind_id: str, url: str, lifetime_seconds: int, key: str) -> PostedPlace:
        """Offer one place; raises :class:`judging.errors.CrowdAlready` when this key was used before."""

    def place(self, crowd_id: str) -> PostedPlace:
        """The place with the crowd's id."""

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
        """Write to workers; returns worker id → why it was not delivered, for those whom it did not reach."""

    def balance(self) -> Decimal:
        """Dollars that can be spent."""

    def qualification(self, crowd_key: str) -> QualificationKind:
        """The qualification with the crowd's id; raises :class:`judging.errors.CrowdNever` when there is none."""
