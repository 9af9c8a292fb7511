"""The signed tokens of the judging page (docs/workers.md, "Addresses").

The *link* token (campaign, posting) is made before any worker is known and stands in the posting's address. It says
all that is needed to know the posting again when the database was put back from a backup that is older than it.
The *page* token is minted when a submission is first shown and stands in the address of everything the
page then does. Signed is not secret: neither says anything about what is judged. Neither expires by itself:
the server's records say what is still open, so that a campaign can be resumed. The *trial* token stands in the
link for reviewers and says when it expires. The *appeal* token stands on the page of a refusal. The *proof* goes
with the crowd's form and comes back in its list: what our server had saved when the task was sent off.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from django.conf import settings
from django.core import signing
from django.urls import reverse

from judging.models import Posting, Submission
from judging.services.calls import campaign_key

_link_signer = "judging.link"
_page_signer = "judging.page"
_trial_signer = "judging.trial"
_appeal_signer = "judging.appeal"
_proof_signer = "judging.proof"
LONGEST = 600


class BadToken(ValueError):
    """The token was not made by us, or not as a whole."""


@dataclass(frozen=True)
class Link:
    """What a link token says: the posting by its number in the campaign, what it is for, and the campaign's key.

    A restored database gives the same row numbers to other rows: the key tells one campaign from another. Links of
    older versions name the posting's row (``posting_id``) instead.
    """

    campaign_id: int
    campaign_key: str = ""
    number: int = 0
    purpose: str = ""
    posting_id: int = 0


@dataclass(frozen=True)
class Page:
    """What a page token says: the submission, where the final form goes, and of which assignment it is a page.

    ``assignment`` is a digest, empty in tokens of older versions.
    """

    submission_id: int
    submit_to: str
    assignment: str = ""

    def is_of(self, submission: Submission) -> bool:
        """Whether the page is this submission's, and not that of one whose row a restored database gave away."""
        return self.assignment in ("", _digest(submission.assignment_id))


@dataclass(frozen=True)
class Trial:
    """What a trial token says: the posting it is for, until when, and the campaign's key (not in old ones)."""

    posting_id: int
    expires_at: datetime
    campaign_key: str = ""


@dataclass(frozen=True)
class Refused:
    """What an appeal token says: who was refused a task of which campaign, and why.

    ``came_by`` is the assignment by whose address the worker came, which can be forged; empty for a link that the
    crowd brought to the worker alone.
    """

    campaign_id: int
    worker_id: int
    reason: str
    came_by: str = ""


@dataclass(frozen=True)
class Proof:
    """What a proof says: whose work on which assignment, how many pairs were judged and shown, and which choices.

    ``work`` and ``choices`` are digests, so that a proof at the crowd names nobody.
    """

    work: str
    judged: int
    shown: int
    choices: str


def proof_token(proof: Proof) -> str:
    """The token that only our server makes: the crowd's form alone proves nothing."""
    return _signed([proof.work, proof.judged, proof.shown, proof.choices], _proof_signer)


def read_proof(token: str) -> Proof:
    """What the proof says; raises :class:`BadToken`."""
    match _unsigned(token, _proof_signer):
        case [str(work), int(judged), int(shown), str(choices)]:
            return Proof(work, judged, shown, choices)
    raise BadToken(token)


def digest_of_work(assignment_id: str, crowd_worker_id: str) -> str:
    """A short name of this worker's work on this assignment."""
    return _digest(f"{assignment_id} {crowd_worker_id}")


def digest_of_choices(choices: Mapping[str, str]) -> str:
    """A short name of the choices in a form, field → side."""
    return _digest("&".join(f"{name}={side}" for name, side in sorted(choices.items())))


def appeal_token(refused: Refused) -> str:
    """The token under which whoever is refused can object."""
    return _signed([refused.campaign_id, refused.worker_id, refused.reason, refused.came_by], _appeal_signer)


def appeal_address(refused: Refused, *, task: str = "") -> str:
    """The path at which whoever is refused can object and reads the answer.

    ``task`` is the page token of a task that is still open: from there it can be sent off.
    """
    path = reverse("judging:appeal", args=[appeal_token(refused)])
    return f"{path}?{urlencode({'task': task})}" if task else path


def read_appeal(token: str) -> Refused:
    """What the appeal token says; raises :class:`BadToken`."""
    match _unsigned(token, _appeal_signer):
        case [int(campaign_id), int(worker_id), str(reason), str(came_by)]:
            return Refused(campaign_id, worker_id, reason, came_by)
    raise BadToken(token)


def link_token(posting: Posting) -> str:
    """The token of a posting's address."""
    campaign = posting.campaign
    return _signed([campaign.pk, campaign_key(campaign), posting.number, posting.purpose], _link_signer)


def link_for(posting: Posting) -> str:
    """The absolute address that a crowd shows to whoever takes a place of ``posting``."""
    return settings.PUBLIC_URL + reverse("judging:arrive", args=[link_token(posting)])


def read_link(token: str) -> Link:
    """What the link token says; raises :class:`BadToken`."""
    match _unsigned(token, _link_signer):
        case [int(campaign_id), str(key), int(number), str(purpose)]:
            return Link(campaign_id, key, number, purpose)
        case [int(campaign_id), int(posting_id)]:
            return Link(campaign_id, posting_id=posting_id)
    raise BadToken(token)


def page_token(submission: Submission, submit_to: str) -> str:
    """The token of the pages of one submission; the same for the same arguments."""
    return _signed([submission.pk, submit_to, _digest(submission.assignment_id)], _page_signer)


def page_address(submission: Submission, submit_to: str) -> str:
    """The absolute address of the pages of one submission."""
    return settings.PUBLIC_URL + reverse("judging:work", args=[page_token(submission, submit_to)])


def read_page(token: str) -> Page:
    """What the page token says; raises :class:`BadToken`."""
    match _unsigned(token, _page_signer):
        case [int(submission_id), str(submit_to)]:
            return Page(submission_id, submit_to)
        case [int(submission_id), str(submit_to), str(assignment)]:
            return Page(submission_id, submit_to, assignment)
    raise BadToken(token)


def trial_link_for(posting: Posting, expires_at: datetime) -> str:
    """The absolute address by which reviewers try a task of the posting's campaign."""
    key = campaign_key(posting.campaign)
    token = _signed([posting.pk, int(expires_at.timestamp()), key], _trial_signer)
    return settings.PUBLIC_URL + reverse("judging:trial", args=[token])


def read_trial(token: str) -> Trial:
    """What the trial token says, expired or not; raises :class:`BadToken`."""
    match _unsigned(token, _trial_signer):
        case [int(posting_id), int(expires)]:
            return Trial(posting_id, datetime.fromtimestamp(expires, UTC))
        case [int(posting_id), int(expires), str(key)]:
            return Trial(posting_id, datetime.fromtimestamp(expires, UTC), key)
    raise BadToken(token)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _signer(salt: str) -> signing.Signer:
    # Dots and tildes survive in a path; the default colon is escaped by some crowds.
    return signing.Signer(salt=salt, sep="~")


def _signed(value: list[int | str], salt: str) -> str:
    return _signer(salt).sign_object(value)


def _unsigned(token: str, salt: str) -> object:
    if len(token) > LONGEST:
        raise BadToken("too long")
    try:
        return _signer(salt).unsign_object(token)
    except (signing.BadSignature, ValueError) as error:
        raise BadToken(token) from error
