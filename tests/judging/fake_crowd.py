"""A small panel behind the crowd's seam: it can lose replies, refuse, and forget request tokens."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal

from config import clock
from judging.crowds.seam import CrowdSubmission, Fees, PostedPlace, PostingKind
from judging.errors import CrowdAlready, CrowdError, CrowdNever


@dataclass
class FakePlace:
    """A place as the panel keeps it."""

    posted: PostedPlace
    url: str
    closed: bool = False
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


class FakeCrowd:
    """Implements :class:`judging.crowds.seam.Crowd` in memory."""

    fees = Fees(share=Decimal("0.20"), least=Decimal("0.01"))

    def __init__(self) -> None:
        self.kinds: list[PostingKind] = []
        self.posted: dict[str, FakePlace] = {}
        self.tokens: dict[str, str] = {}
        self.approvals: list[str] = []
        self.calls: dict[str, int] = defaultdict(int)
        self.before: dict[str, list[CrowdError]] = defaultdict(list)
        self.after: dict[str, list[CrowdError]] = defaultdict(list)
        self.dollars = Decimal("10000")
        self.one_at_a_time = threading.RLock()

    # What a test does to the panel.

    def fail(self, operation: str, *errors: CrowdError, after: bool = False) -> None:
        """The next calls of ``operation`` raise these, before their effect or (a lost reply) after it."""
        (self.after if after else self.before)[operation].extend(errors)

    def take(self, worker: str, place: FakePlace | None = None) -> FakePlace:
        """``worker`` takes a place that is open; each taking is an assignment of its own."""
        taken = place or next(one for one in [*self.posted.values()] if one.seen().open and not one.holder)
        taken.holder = worker
        taken.assignment_id = (
            taken.assignment_id or f"ASSIGNMENT{len(self.tokens):04d}{taken.posted.crowd_id}"
        )
        return taken

    def give_back(self, place: FakePlace) -> None:
        """The holder returns the place; the same assignment id then goes to the next one."""
        place.holder = ""

    def hand_in(self, place: FakePlace, answers: dict[str, str], *, now: datetime | None = None) -> None:
        """The holder submits the crowd's form."""
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
        """How many places somebody could take or hand in on."""
        return sum(place.seen().open for place in self.posted.values())

    # The seam.

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
            self.posted[crowd_id] = FakePlace(posted, url)
            self.tokens[key] = crowd_id
        return self._done("post_place", posted)

    def place(self, crowd_id: str) -> PostedPlace:
        self._pass("place")
        if crowd_id not in self.posted:
            raise CrowdNever(f"{crowd_id} does not exist")
        return self.posted[crowd_id].seen()

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

    def approve(self, assignment_id: str) -> None:
        self._pass("approve")
        with self.one_at_a_time:
            if assignment_id not in self.approvals:
                self.approvals.append(assignment_id)
        self._done("approve", None)

    def balance(self) -> Decimal:
        return self.dollars

    def _pass(self, operation: str) -> None:
        self.calls[operation] += 1
        if self.before[operation]:
            raise self.before[operation].pop(0)

    def _done(self, operation, value):
        if self.after[operation]:
            raise self.after[operation].pop(0)
        return value
