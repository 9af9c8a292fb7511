"""The signed tokens of the judging page (docs/workers.md, "Addresses").

- The *link* token (campaign, posting) is created before any worker is known and is part of the posting's address.
  It is enough to recognize the posting when an older backup is restored.
- The *page* token is created when a submission is first shown and is part of the addresses of its pages.
- The *trial* token is part of the link for reviewers and contains its expiry time.
- The *appeal* token is part of the link with which a refused worker appeals.
- The *proof* is sent with the final form to the crowd and comes back in the crowd's list of submissions. It states
  what our server had saved.

Tokens are signed but not secret, so they do not reveal which pairs are judged. Link and page tokens do not expire:
the server's records decide what is open, so that a campaign can be resumed.
"""

import hashlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

from django.conf import settings
from django.core import signing
from django.urls import reverse

from judging.errors import WorkRefused
from judging.models import Posting, Submission

_link_signer = "judging.link"
_page_signer = "judging.page"
_trial_signer = "judging.trial"
_appeal_signer = "judging.appeal"
_proof_signer = "judging.proof"
LONGEST = 600
Content = TypeVar("Content")
#: Number of hexadecimal digits of a digest in a token.
DIGITS = 12


class BadToken(WorkRefused):
    """The token was not created by this installation, or it is incomplete."""

    def __init__(self) -> None:
        super().__init__("unknown-link")


class Link(NamedTuple):
    """The content of a link token: the campaign and its key, and the posting's number and purpose.

    A restored database can reuse row numbers, so the key distinguishes campaigns. Links of older versions have the
    primary key of the posting (``posting_id``) instead.
    """

    campaign_id: int
    campaign_key: str = ""
    number: int = 0
    purpose: str = ""
    posting_id: int = 0


class Page(NamedTuple):
    """The content of a page token: the submission, its assignment, and the site that receives the final form.

    ``assignment`` is a digest, empty in tokens of older versions.
    """

    submission_id: int
    submit_to: str
    assignment: str = ""

    def is_of(self, assignment_id: str) -> bool:
        """Return whether the token was made for this assignment, or is too old to tell.

        A restored database may reuse submissions' keys.
        """
        return self.assignment in ("", _digest(assignment_id))


class Trial(NamedTuple):
    """The content of a trial token: a posting, its campaign's key (empty in older tokens), and the expiry time."""

    posting_id: int
    expires_at: datetime
    campaign_key: str = ""


class Refused(NamedTuple):
    """The content of an appeal token: the refused worker, the campaign and the reason for the refusal.

    ``came_by`` is the assignment in the URL with which the worker arrived. Such a URL can be forged. ``came_by`` is
    empty in a link that the crowd sent to the worker alone.
    """

    campaign_id: int
    worker_id: int
    reason: str
    came_by: str = ""


class Proof(NamedTuple):
    """The content of a proof: whose work it is, the numbers of pairs judged and shown, and the choices.

    ``work`` (assignment and worker) and ``choices`` are digests, so a proof at the crowd identifies nobody.
    """

    work: str
    judged: int
    shown: int
    choices: str


def proof_token(proof: Proof) -> str:
    """Return the proof as a token. Only our server can create it, whereas anyone can change the crowd's form."""
    return _token([*proof], _proof_signer)


def read_proof(token: str) -> Proof:
    """Return the content of the proof. Raises :class:`BadToken`."""
    return _read(Proof, token, _proof_signer)


def digest_of_work(assignment_id: str, crowd_worker_id: str) -> str:
    """Return a short digest of the assignment's and the worker's id, which identifies the work in a proof."""
    return _digest(f"{assignment_id} {crowd_worker_id}")


def digest_of_choices(choices: Mapping[str, str]) -> str:
    """Return a short digest of ``choices``, which maps the form's fields to sides."""
    return _digest("&".join(f"{name}={side}" for name, side in sorted(choices.items())))


def appeal_token(refused: Refused) -> str:
    """Return the token with which a refused worker can appeal."""
    return _token([*refused], _appeal_signer)


def appeal_address(refused: Refused, *, task: str = "") -> str:
    """Return the path of the page on which a refused worker can appeal and read the answer.

    ``task`` is the page token of an open task, which the worker can submit from there.
    """
    path = reverse("judging:appeal", args=[appeal_token(refused)])
    return f"{path}?{urlencode({'task': task})}" if task else path


def read_appeal(token: str) -> Refused:
    """Return the content of the appeal token. Raises :class:`BadToken`."""
    return _read(Refused, token, _appeal_signer)


def link_token(posting: Posting) -> str:
    campaign = posting.campaign
    return _token([campaign.pk, campaign.call_key, posting.number, posting.purpose], _link_signer)


def link_for(posting: Posting) -> str:
    """Return the absolute URL that a crowd opens for a worker who takes a place of ``posting``."""
    return settings.PUBLIC_URL + reverse("judging:arrive", args=[link_token(posting)])


def read_link(token: str) -> Link:
    """Return the content of the link token. Raises :class:`BadToken`."""

    def link(campaign_id: int, key: str | int, *rest: Any) -> Link:
        return Link(campaign_id, str(key), *rest) if rest else Link(campaign_id, posting_id=int(key))

    return _read(link, token, _link_signer)


def page_token(submission: Submission, submit_to: str) -> str:
    """Return the token for a submission's pages. The same arguments give the same token."""
    return _token([submission.pk, submit_to, _digest(submission.assignment_id)], _page_signer)


def page_address(submission: Submission, submit_to: str) -> str:
    return settings.PUBLIC_URL + reverse("judging:work", args=[page_token(submission, submit_to)])


def read_page(token: str) -> Page:
    """Return the content of the page token. Raises :class:`BadToken`."""
    return _read(Page, token, _page_signer)


def trial_link_for(posting: Posting, expires_at: datetime) -> str:
    """Return the absolute URL of the page on which reviewers try a task of the posting's campaign."""
    key = posting.campaign.call_key
    token = _token([posting.pk, int(expires_at.timestamp()), key], _trial_signer)
    return settings.PUBLIC_URL + reverse("judging:trial", args=[token])


def read_trial(token: str) -> Trial:
    """Return the content of the trial token, expired or not. Raises :class:`BadToken`."""

    def trial(posting_id: int, expires: int, key: str = "") -> Trial:
        return Trial(posting_id, datetime.fromtimestamp(expires, UTC), key)

    return _read(trial, token, _trial_signer)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _signer(salt: str) -> signing.Signer:
    # Dots and tildes survive in a path, but some crowds escape the default colon.
    return signing.Signer(salt=salt, sep="~")


def _token(content: list[int | str], salt: str) -> str:
    return _signer(salt).sign_object(content)


def _read(make: Callable[..., Content], token: str, salt: str) -> Content:
    """Check the token's signature, and call ``make`` with its content. Raises :class:`BadToken`."""
    if len(token) > LONGEST:
        raise BadToken
    try:
        return make(*_signer(salt).unsign_object(token))
    except (signing.BadSignature, ValueError, TypeError):
        raise BadToken from None
