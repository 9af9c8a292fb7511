"""A completion-code panel: studies with a number of places, and participants who return with a code.

It simulates the panel's own site and API and does not depend on judging. A study is created as a draft, published
with an address and a number of places, and stopped; the number can be raised but never lowered.
"""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from urllib.parse import parse_qs, urlencode, urlsplit

from config import clock

SITE = "https://panel.example"
FEE = Decimal("0.30")

ACTIVE, AWAITING_REVIEW = "ACTIVE", "AWAITING REVIEW"
APPROVED, REJECTED, RETURNED = "APPROVED", "REJECTED", "RETURNED"


class PanelRefused(Exception):
    """The panel's site or its API refuses this."""


@dataclass(frozen=True)
class Draft:
    """A study's description for participants; it costs and offers nothing yet."""

    name: str
    title: str
    description: str
    reward: Decimal


@dataclass
class Study:
    """A published study."""

    name: str
    draft: Draft
    address: str
    code: str
    places: int
    stopped: bool = False


@dataclass(frozen=True)
class Session:
    """One participation; ``code`` is the participant's completion code."""

    session_id: str
    study: str
    participant: str
    state: str = ACTIVE
    code: str = ""
    completed_at: datetime | None = None


@dataclass(frozen=True)
class Bonus:
    """An additional payment to a participant of a study, with a note."""

    study: str
    participant: str
    amount: Decimal
    note: str


@dataclass
class Panel:
    """The panel with one requester's account, in memory."""

    dollars: Decimal = Decimal("1000.00")
    drafts: dict[str, Draft] = field(default_factory=dict)
    studies: dict[str, Study] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    bonuses: list[Bonus] = field(default_factory=list)
    messages: list[tuple[str, str, str]] = field(default_factory=list)
    calls: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    # The API.

    def make_draft(self, draft: Draft) -> None:
        self.calls["make_draft"] += 1
        if draft.name in self.drafts:
            raise PanelRefused(f"There is a draft {draft.name}.")
        self.drafts[draft.name] = draft

    def publish(self, name: str, *, draft: str, address: str, code: str, places: int) -> None:
        self.calls["publish"] += 1
        if name in self.studies:
            raise PanelRefused(f"There is a study {name}.")
        self.studies[name] = Study(name, self.drafts[draft], address, code, places)

    def set_places(self, study: str, places: int) -> None:
        self.calls["set_places"] += 1
        if places < self.studies[study].places or self.studies[study].stopped:
            raise PanelRefused("The number of places can only be raised, and only of a study that runs.")
        self.studies[study].places = places

    def stop(self, study: str) -> None:
        self.calls["stop"] += 1
        self.studies[study].stopped = True

    def submissions(self, study: str) -> list[Session]:
        """Return sessions in order of completion; active ones last."""
        mine = [one for one in self.sessions.values() if one.study == study]
        done = [one for one in mine if one.completed_at is not None]
        order = [*self.sessions]
        done.sort(key=lambda one: (one.completed_at, order.index(one.session_id)))
        return [*done, *(one for one in mine if one.completed_at is None)]

    def review(self, session: str, state: str) -> None:
        """Approve (and pay) or reject a session that awaits review; a rejected one can still be approved."""
        self.calls[f"review {state}"] += 1
        found = self.sessions[session]
        if found.state not in (AWAITING_REVIEW, REJECTED) or found.state == state:
            raise PanelRefused(f"{session} is {found.state}.")
        if state == APPROVED:
            self._spend(self.studies[found.study].draft.reward)
        self.sessions[session] = replace(found, state=state)

    def pay_bonus(self, bonus: Bonus) -> None:
        self.calls["pay_bonus"] += 1
        self._spend(bonus.amount)
        self.bonuses.append(bonus)

    def write(self, participant: str, subject: str, text: str) -> None:
        if participant not in {one.participant for one in self.sessions.values()}:
            raise PanelRefused("You can only write to participants of your studies.")
        self.messages.append((participant, subject, text))

    def _spend(self, amount: Decimal) -> None:
        cost = amount + (amount * FEE).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
        if cost > self.dollars:
            raise PanelRefused("The account does not hold that much.")
        self.dollars -= cost

    # Actions of participants on the panel's site.

    def free_places(self, study: str) -> int:
        """Return how many more participants can start now."""
        found = self.studies[study]
        taken = [one for one in self.submissions(study) if one.state != RETURNED]
        return 0 if found.stopped else found.places - len(taken)

    def start(self, participant: str, study: str) -> tuple[str, str]:
        """Let ``participant`` take a place; returns the session and the address to follow."""
        if self.free_places(study) < 1:
            raise PanelRefused("The study is full.")
        session = f"{len(self.sessions) + 1:024x}"
        self.sessions[session] = Session(session, study, participant)
        query = urlencode({"participant": participant, "session": session})
        return session, f"{self.studies[study].address}?{query}"

    def come_back(self, session: str, address: str) -> None:
        """Open ``address`` on the panel's site in the participant's browser; only an active session is completed."""
        parts = urlsplit(address)
        if f"{parts.scheme}://{parts.netloc}{parts.path}" != f"{SITE}/complete":
            raise PanelRefused(f"{address} is not the panel's.")
        code = parse_qs(parts.query)["code"][0]
        found = self.sessions[session]
        if found.state == ACTIVE:
            done = {"state": AWAITING_REVIEW, "code": code, "completed_at": clock.now()}
            self.sessions[session] = replace(found, **done)

    def give_back(self, session: str) -> None:
        """Return the participant's place; somebody else can take it, in another session."""
        self.sessions[session] = replace(self.sessions[session], state=RETURNED)
