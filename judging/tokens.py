"""The signed tokens of the judging page (docs/workers.md, "Addresses").

The *link* token (campaign, posting) is made before any worker is known and stands in the posting's address.
The *page* token is minted when a submission is first shown and stands in the address of everything the
page then does. Signed is not secret: neither says anything about what is judged. Neither expires by itself:
the server's records say what is still open, so that a campaign can be resumed. The *trial* token stands in the
link for reviewers and says when it expires.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings
from django.core import signing
from django.urls import reverse

from judging.models import Posting, Submission

_link_signer = "judging.link"
_page_signer = "judging.page"
_trial_signer = "judging.trial"
LONGEST = 600


class BadToken(ValueError):
    """The token was not made by us, or not as a whole."""


@dataclass(frozen=True)
class Link:
    """What a link token says."""

    campaign_id: int
    posting_id: int


@dataclass(frozen=True)
class Page:
    """What a page token says: the submission, and where the final form goes."""

    submission_id: int
    submit_to: str


@dataclass(frozen=True)
class Trial:
    """What a trial token says: the posting it is for, and until when."""

    posting_id: int
    expires_at: datetime


def link_token(posting: Posting) -> str:
    """The token of a posting's address."""
    return _signed([posting.campaign_id, posting.pk], _link_signer)


def link_for(posting: Posting) -> str:
    """The absolute address that a crowd shows to whoever takes a place of ``posting``."""
    return settings.PUBLIC_URL + reverse("judging:arrive", args=[link_token(posting)])


def read_link(token: str) -> Link:
    """What the link token says; raises :class:`BadToken`."""
    match _unsigned(token, _link_signer):
        case [int(campaign_id), int(posting_id)]:
            return Link(campaign_id, posting_id)
    raise BadToken(token)


def page_token(submission: Submission, submit_to: str) -> str:
    """The token of the pages of one submission; the same for the same arguments."""
    return _signed([submission.pk, submit_to], _page_signer)


def read_page(token: str) -> Page:
    """What the page token says; raises :class:`BadToken`."""
    match _unsigned(token, _page_signer):
        case [int(submission_id), str(submit_to)]:
            return Page(submission_id, submit_to)
    raise BadToken(token)


def trial_link_for(posting: Posting, expires_at: datetime) -> str:
    """The absolute address by which reviewers try a task of the posting's campaign."""
    token = _signed([posting.pk, int(expires_at.timestamp())], _trial_signer)
    return settings.PUBLIC_URL + reverse("judging:trial", args=[token])


def read_trial(token: str) -> Trial:
    """What the trial token says, expired or not; raises :class:`BadToken`."""
    match _unsigned(token, _trial_signer):
        case [int(posting_id), int(expires)]:
            return Trial(posting_id, datetime.fromtimestamp(expires, UTC))
    raise BadToken(token)


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
