"""The crowd module for the panel: an example for a real one, such as Prolific's.

A posting is a study. A place is one of its seats, identified by the key under which judging requested it; offering
place 7 raises the number of places to 7. Sessions have no seats at the panel. The first completed session is assigned
to the first seat, and so on, permanently; active sessions come after them. The number of places of a stopped study
cannot be raised, so later places go to a new study that begins at that place.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from datetime import datetime, timedelta
from decimal import Decimal
from urllib.parse import urlencode

from django.utils.crypto import salted_hmac

from judging.crowds.interface import (
    Arrival,
    CrowdSubmission,
    Fees,
    PaidBonus,
    PostedPlace,
    PostingKind,
    QualificationKind,
    Redirect,
    SentOff,
    Sites,
)
from judging.errors import ArrivalRefused, CrowdAlready, CrowdConfiguration, CrowdNever
from tests.panel import panel as site
from tests.panel.panel import Bonus, Draft, Panel, PanelRefused, Session, Study

_id = re.compile(r"[0-9a-f]{24}")
STATUS = {site.AWAITING_REVIEW: "Submitted", site.APPROVED: "Approved", site.REJECTED: "Rejected"}
AUTO_APPROVAL = timedelta(days=21)


def completion_code(campaign_key: str) -> str:
    """Return the completion code of a campaign's studies, which cannot be guessed."""
    return salted_hmac("panel completion", campaign_key).hexdigest()[:10].upper()


class PanelCrowd:
    """Implements :class:`judging.crowds.interface.Crowd`, without block lists."""

    fees = Fees(share=site.FEE, least=Decimal("0.00"))
    keeps_block_lists = False
    signs_arrivals = False
    pays_unsubmitted = False

    def __init__(self, panel: Panel) -> None:
        self.panel = panel

    # The page.

    def read_arrival(self, params: Mapping[str, str]) -> Arrival:
        participant, session = params.get("participant", ""), params.get("session", "")
        if not participant and not session:
            return Arrival("", "", "", "", preview=True)
        if not (_id.fullmatch(participant) and _id.fullmatch(session)):
            raise ArrivalRefused("The address of this page is not complete.", "Open it from the panel again.")
        return Arrival(session, "", participant, "", preview=False)

    def finish(self, sent: SentOff) -> Redirect:
        code = completion_code(sent.campaign_key)
        return Redirect(f"{site.SITE}/complete?{urlencode({'code': code})}", code)

    def sites(self) -> Sites:
        return Sites()  # no frame and no form: participants follow links

    # Offering.

    def create_kind(self, kind: PostingKind) -> str:
        if kind.qualifications:
            raise CrowdConfiguration("The panel has no qualifications.", "Make the campaign without them.")
        name = hashlib.sha256(repr(astuple(kind)).encode()).hexdigest()[:16]
        if name not in self.panel.drafts:
            self.panel.make_draft(Draft(name, kind.title, kind.description, kind.reward))
        return name

    def post_place(self, *, kind_id: str, url: str, lifetime_seconds: int, key: str) -> PostedPlace:
        posting, number = _split(key)
        study = self._study_with(key)
        if study and number < _first(study) + study.places:
            raise CrowdAlready("that many places are offered", key)
        if study and not study.stopped:
            self.panel.set_places(study.name, number - _first(study) + 1)
            return self.place(key)
        first = number if study else 1
        code = completion_code(posting.rpartition("-")[0])
        name = f"{posting}/{first}"
        self.panel.publish(name, draft=kind_id, address=url, code=code, places=number - first + 1)
        return self.place(key)

    def find_place(self, key: str) -> PostedPlace | None:
        study = self._study_with(key)
        if study is None or _split(key)[1] >= _first(study) + study.places:
            return None
        return next(place for place in self._seats(study) if place.key == key)

    def place(self, crowd_id: str) -> PostedPlace:
        found = self.find_place(crowd_id)
        if found is None:
            raise CrowdNever(f"There is no place {crowd_id}.")
        return found

    def asked_of_workers(self, crowd_id: str) -> Sequence[dict[str, object]]:
        return []  # a kind that requires some is refused

    def close_place(self, crowd_id: str) -> None:
        """Stop the study. Judging closes all places of a posting or none, so stopping the whole study is correct."""
        study = self._study_with(crowd_id)
        if study and not study.stopped:
            self.panel.stop(study.name)

    def places(self) -> Iterator[PostedPlace]:
        for study in reversed([*self.panel.studies.values()]):
            yield from self._seats(study)

    def given_back(self, assignment_ids: Sequence[str]) -> list[str]:
        sessions = self.panel.sessions
        return [one for one in assignment_ids if one in sessions and sessions[one].state == site.RETURNED]

    def returned_at(self, _assignment_id: str) -> datetime | None:
        return None

    def is_at_work(self, assignment_id: str, crowd_worker_id: str) -> bool:
        self.panel.calls["is_at_work"] += 1
        session = self.panel.sessions.get(assignment_id)
        return session is not None and (session.participant, session.state) == (crowd_worker_id, site.ACTIVE)

    def _study_with(self, key: str) -> Study | None:
        """Return the study that has, or would have, the place."""
        posting, number = _split(key)
        mine = [one for one in self.panel.studies.values() if one.name.partition("/")[0] == posting]
        begun = [one for one in mine if _first(one) <= number]
        return max(begun, key=_first, default=None)

    def _seats(self, study: Study) -> Iterator[PostedPlace]:
        seated = self._seated(study)
        for index in range(study.places):
            session = seated[index] if index < len(seated) else None
            submitted = session is not None and session.state in STATUS
            key = f"{study.name.partition('/')[0]}-{_first(study) + index}"
            yield PostedPlace(
                crowd_id=key,
                key=key,
                expires_at=None,
                open=not submitted and not study.stopped,
                has_submission=submitted,
                held=session is not None and not submitted,
            )

    def _seated(self, study: Study) -> list[Session]:
        return [one for one in self.panel.submissions(study.name) if one.state != site.RETURNED]

    # Collecting and paying.

    def submissions(self, place_crowd_id: str) -> list[CrowdSubmission]:
        study = self._study_with(place_crowd_id)
        if study is None:
            raise CrowdNever(f"There is no place {place_crowd_id}.")
        index = _split(place_crowd_id)[1] - _first(study)
        on_it = self._seated(study)[index : index + 1]
        return [_submitted(one, place_crowd_id) for one in on_it if one.state in STATUS]

    def submission(self, assignment_id: str) -> CrowdSubmission:
        session = self.panel.sessions.get(assignment_id)
        if session is None or session.state not in STATUS:
            raise CrowdNever(f"{assignment_id} was not submitted.")
        study = self.panel.studies[session.study]
        seat = _first(study) + self._seated(study).index(session)
        return _submitted(session, f"{study.name.partition('/')[0]}-{seat}")

    def approve(self, assignment_id: str, *, override_rejection: bool = False) -> None:
        status = self.submission(assignment_id).status
        if status == "Rejected" and not override_rejection:
            raise CrowdNever(f"{assignment_id} is rejected.")
        if status != "Approved":
            self.panel.review(assignment_id, site.APPROVED)

    def reject(self, assignment_id: str, *, reason: str) -> None:
        status = self.submission(assignment_id).status
        if status == "Approved":
            raise CrowdNever(f"{assignment_id} is approved.")
        if status != "Rejected":
            self.panel.review(assignment_id, site.REJECTED)

    def pay_bonus(
        self, *, assignment_id: str, crowd_worker_id: str, amount: Decimal, reason: str, key: str
    ) -> None:
        """Pay a participant. Bonuses have no session or key, so the note names both and is searched for."""
        if any(paid.reason == reason for paid in self.bonuses(assignment_id=assignment_id)):
            raise CrowdAlready("paid before")
        study = self.panel.sessions[assignment_id].study
        self.panel.pay_bonus(Bonus(study, crowd_worker_id, amount, f"{assignment_id}: {reason}"))

    def bonuses(self, *, assignment_id: str = "", place_crowd_id: str = "") -> list[PaidBonus]:
        wanted = (
            {one.assignment_id for one in self.submissions(place_crowd_id)}
            if place_crowd_id
            else {assignment_id}
        )
        paid = []
        for bonus in self.panel.bonuses:
            session, _, reason = bonus.note.partition(": ")
            if session in wanted:
                paid.append(PaidBonus(session, bonus.participant, bonus.amount, reason))
        return paid

    # The rest.

    def message(self, *, crowd_worker_ids: Sequence[str], subject: str, text: str) -> dict[str, str]:
        failed = {}
        for participant in crowd_worker_ids:
            try:
                self.panel.write(participant, subject, text)
            except PanelRefused as refused:
                failed[participant] = str(refused)
        return failed

    def balance(self) -> Decimal:
        return self.panel.dollars

    def qualification(self, crowd_key: str) -> QualificationKind:
        raise CrowdNever("The panel has no qualifications.", "Make the campaign without them.")


def _split(key: str) -> tuple[str, int]:
    """Return (posting key, place number) from a place's key."""
    posting, _, number = key.rpartition("-")
    return posting, int(number)


def _first(study: Study) -> int:
    """Return the number of the study's first place in its posting."""
    return int(study.name.partition("/")[2])


def _submitted(session: Session, place: str) -> CrowdSubmission:
    assert session.completed_at is not None
    return CrowdSubmission(
        assignment_id=session.session_id,
        place_crowd_id=place,
        crowd_worker_id=session.participant,
        status=STATUS[session.state],
        submitted_at=session.completed_at,
        auto_approval_at=session.completed_at + AUTO_APPROVAL,
        answers={},
    )
