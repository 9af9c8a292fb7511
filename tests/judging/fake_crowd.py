"""A small panel that implements the crowd interface: it can lose replies, refuse, and forget request tokens."""

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal

from config import clock
from judging.crowds.arrival import ExternalQuestionPage
from judging.crowds.interface import (
    CrowdSubmission,
    Fees,
    PaidBonus,
    PostedPlace,
    PostingKind,
    QualificationKind,
)
from judging.errors import CrowdAlready, CrowdError, CrowdNever


@dataclass
class FakePlace:
    """A place as the panel keeps it."""

    posted: PostedPlace
    url: str
    closed: bool = False
    asked: list[dict] = field(default_factory=list)
    assignment_id: str = ""
    holder: str = ""
    submissions: list[CrowdSubmission] = field(default_factory=list)

    def seen(self) -> PostedPlace:
        return replace(
            self.posted,
            open=not self.closed and not self.submissions,
            held=bool(self.holder),
            has_submission=bool(self.submissions),
        )


class FakeCrowd(ExternalQuestionPage):
    """Implements :class:`judging.crowds.interface.Crowd` in memory."""

    fees = Fees(share=Decimal("0.20"), least=Decimal("0.01"))
    keeps_block_lists = True

    def __init__(self) -> None:
        self.kinds: list[PostingKind] = []
        self.posted: dict[str, FakePlace] = {}
        self.tokens: dict[str, str] = {}
        self.approvals: list[str] = []
        self.rejections: dict[str, str] = {}
        self.paid_bonuses: list[PaidBonus] = []
        self.block_lists: dict[str, set[str]] = {}
        self.messages: list[tuple[str, str, str]] = []
        self.returns: dict[str, datetime] = {}
        self.calls: dict[str, int] = defaultdict(int)
        self.before: dict[str, list[CrowdError]] = defaultdict(list)
        self.after: dict[str, list[CrowdError]] = defaultdict(list)
        self.dollars = Decimal("10000")
        self.qualifications: dict[str, QualificationKind] = {}
        self.one_at_a_time = threading.RLock()

    # Actions of tests on the panel.

    def fail(self, operation: str, *errors: CrowdError, after: bool = False) -> None:
        """Let the next calls of ``operation`` raise these, before their effect or (a lost reply) after it."""
        (self.after if after else self.before)[operation].extend(errors)

    def take(self, worker: str, place: FakePlace | None = None) -> FakePlace:
        """Let ``worker`` take an open place. Each taking is a new assignment."""
        taken = place or next(one for one in [*self.posted.values()] if one.seen().open and not one.holder)
        taken.holder = worker
        taken.assignment_id = (
            taken.assignment_id or f"ASSIGNMENT{len(self.tokens):04d}{taken.posted.crowd_id}"
        )
        return taken

    def give_back(self, place: FakePlace) -> None:
        """Let the holder return the place. The same assignment id then goes to the next worker."""
        place.holder = ""
        self.returns[place.assignment_id] = clock.now()

    def hand_in(self, place: FakePlace, answers: dict[str, str], *, now: datetime | None = None) -> None:
        """Let the holder submit the crowd's form."""
        now = now or clock.now()
        place.submissions.append(
            CrowdSubmission(
                assignment_id=place.assignment_id,
                place_crowd_id=place.posted.crowd_id,
                crowd_worker_id=place.holder,
                status="Submitted",
                submitted_at=now,
                auto_approval_at=now + timedelta(days=3),
                answers=answers,
            )
        )
        place.holder = ""

    @property
    def open_places(self) -> int:
        """Return how many places can be taken or submitted."""
        return sum(place.seen().open for place in self.posted.values())

    # The crowd interface.

    def create_kind(self, kind: PostingKind) -> str:
        self._pass("create_kind")
        if kind not in self.kinds:
            self.kinds.append(kind)
        return self._done("create_kind", f"KIND{self.kinds.index(kind)}")

    def post_place(self, *, kind_id: str, url: str, lifetime_seconds: int, key: str) -> PostedPlace:
        self._pass("post_place")
        with self.one_at_a_time:
            if key in self.tokens:
                raise CrowdAlready(f"posted before as {self.tokens[key]}", self.tokens[key])
            crowd_id = f"PLACE{len(self.posted):04d}"
            expires_at = clock.now() + timedelta(seconds=lifetime_seconds)
            posted = PostedPlace(crowd_id, key, expires_at, open=True)
            kind = self.kinds[int(kind_id.removeprefix("KIND"))]
            self.posted[crowd_id] = FakePlace(posted, url, asked=list(kind.qualifications))
            self.tokens[key] = crowd_id
        return self._done("post_place", posted)

    def place(self, crowd_id: str) -> PostedPlace:
        self._pass("place")
        if crowd_id not in self.posted:
            raise CrowdNever(f"{crowd_id} does not exist")
        return self.posted[crowd_id].seen()

    def asked_of_workers(self, crowd_id: str) -> list[dict]:
        self._pass("asked_of_workers")
        return self.posted[crowd_id].asked

    def find_place(self, key: str) -> PostedPlace | None:
        self._pass("find_place")
        return next((one.seen() for one in self.posted.values() if one.posted.key == key), None)

    def close_place(self, crowd_id: str) -> None:
        self._pass("close_place")
        self.posted[crowd_id].closed = True

    def places(self) -> Iterator[PostedPlace]:
        self._pass("places")
        yield from [one.seen() for one in reversed([*self.posted.values()])]

    def submissions(self, place_crowd_id: str) -> list[CrowdSubmission]:
        self._pass("submissions")
        if place_crowd_id not in self.posted:
            raise CrowdNever(f"{place_crowd_id} does not exist")
        return list(self.posted[place_crowd_id].submissions)

    def submission(self, assignment_id: str) -> CrowdSubmission:
        self._pass("submission")
        return self._place_of(assignment_id)[1]

    def approve(self, assignment_id: str, *, override_rejection: bool = False) -> None:
        self._pass("approve")
        with self.one_at_a_time:
            if self.submission(assignment_id).status == "Rejected" and not override_rejection:
                raise CrowdNever(f"{assignment_id} is rejected")
            if assignment_id not in self.approvals:
                self.approvals.append(assignment_id)
            self._review(assignment_id, "Approved")
        self._done("approve", None)

    def reject(self, assignment_id: str, *, reason: str) -> None:
        self._pass("reject")
        with self.one_at_a_time:
            if self.submission(assignment_id).status == "Approved":
                raise CrowdNever(f"{assignment_id} is approved")
            self._review(assignment_id, "Rejected")
            self.rejections[assignment_id] = reason
        self._done("reject", None)

    def pay_bonus(
        self, *, assignment_id: str, crowd_worker_id: str, amount: Decimal, reason: str, key: str
    ) -> None:
        self._pass("pay_bonus")
        with self.one_at_a_time:
            if not self.pays_unsubmitted and (
                self.submission(assignment_id).crowd_worker_id != crowd_worker_id
            ):
                raise CrowdNever(f"{assignment_id} is not of {crowd_worker_id}")
            if key in self.tokens:
                raise CrowdAlready("paid before")
            self.tokens[key] = "paid"
            self.paid_bonuses.append(PaidBonus(assignment_id, crowd_worker_id, amount, reason, clock.now()))
        self._done("pay_bonus", None)

    def bonuses(self, *, assignment_id: str = "", place_crowd_id: str = "") -> list[PaidBonus]:
        self._pass("bonuses")
        of_place = (
            {one.assignment_id for one in self.posted[place_crowd_id].submissions}
            | {self.posted[place_crowd_id].assignment_id}
            if place_crowd_id
            else ()
        )
        return [one for one in self.paid_bonuses if one.assignment_id in (assignment_id, *of_place)]

    def create_block_list(self, *, name: str, description: str) -> str:
        self._pass("create_block_list")
        if name in self.block_lists:
            raise CrowdAlready(f"there is {name}")
        self.block_lists[name] = set()
        return self._done("create_block_list", f"LIST {name}")

    def find_block_list(self, name: str) -> str | None:
        self._pass("find_block_list")
        return f"LIST {name}" if name in self.block_lists else None

    def block(self, block_list: str, crowd_worker_id: str) -> None:
        self._pass("block")
        self.block_lists[block_list.removeprefix("LIST ")].add(crowd_worker_id)
        self._done("block", None)

    def unblock(self, block_list: str, crowd_worker_id: str) -> None:
        self._pass("unblock")
        self.block_lists[block_list.removeprefix("LIST ")].discard(crowd_worker_id)
        self._done("unblock", None)

    def message(self, *, crowd_worker_ids: Sequence[str], subject: str, text: str) -> dict[str, str]:
        self._pass("message")
        known = {one.crowd_worker_id for place in self.posted.values() for one in place.submissions}
        self.messages += [(worker, subject, text) for worker in crowd_worker_ids if worker in known]
        return self._done(
            "message", {worker: "not known" for worker in crowd_worker_ids if worker not in known}
        )

    def returned_at(self, assignment_id: str) -> datetime | None:
        self._pass("returned_at")
        return self.returns.get(assignment_id)

    def balance(self) -> Decimal:
        return self.dollars

    def _place_of(self, assignment_id: str) -> tuple[FakePlace, CrowdSubmission]:
        for place in self.posted.values():
            for submission in place.submissions:
                if submission.assignment_id == assignment_id:
                    return place, submission
        raise CrowdNever(f"{assignment_id} does not exist")

    def _review(self, assignment_id: str, status: str) -> None:
        place, submission = self._place_of(assignment_id)
        place.submissions[place.submissions.index(submission)] = replace(submission, status=status)

    def qualification(self, crowd_key: str) -> QualificationKind:
        if (name := crowd_key.removeprefix("LIST ")) in self.block_lists:
            return QualificationKind(name, active=True)
        if crowd_key not in self.qualifications:
            raise CrowdNever(f"{crowd_key} does not exist", "Look at the qualifications.")
        return self.qualifications[crowd_key]

    def _pass(self, operation: str) -> None:
        self.calls[operation] += 1
        if self.before[operation]:
            raise self.before[operation].pop(0)

    def _done(self, operation, value):
        if self.after[operation]:
            raise self.after[operation].pop(0)
        return value
