"""Invitations: each link creates one account, unless it expires or is revoked first."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import QuerySet

from marketplace.errors import AccountRefused
from marketplace.models import Invitation, Worker
from marketplace.services import outbox
from marketplace.services.account import accounts

_SALT = "marketplace.invitation"


@dataclass(frozen=True)
class InvitationLink:
    invitation: Invitation
    link: str


def make_invitation(
    *,
    now: datetime,
    email: str = "",
    note: str = "",
    country: str = "",
    hours: float | None = None,
    mail: bool = False,
) -> InvitationLink:
    """Create an invitation and, with ``mail``, send it to ``email``.

    Raises AccountRefused if it should be mailed, but there is no mail server.
    """
    if mail and not settings.MAIL:
        raise AccountRefused(
            "This marketplace has no mail server.",
            "Set MARKETPLACE_EMAIL_URL, or write the links to a file with --out and send them yourself.",
        )
    lifetime = timedelta(hours=settings.INVITATION_HOURS if hours is None else hours)
    row = Invitation.objects.create(
        nonce=secrets.token_urlsafe(24),
        email=email,
        mailed=mail,
        note=note,
        country=country.upper(),
        made_at=now,
        expires_at=now + lifetime,
    )
    sent = InvitationLink(row, f"{settings.PUBLIC_URL}/invitation/{signing.dumps(row.nonce, salt=_SALT)}/")
    if mail:
        outbox.write_mail(email, "You are invited", _invitation_mail(sent), now)
    return sent


def _invitation_mail(sent: InvitationLink) -> str:
    until = sent.invitation.expires_at
    return (
        "You are invited to do small paid tasks. Before you take one, you see what it asks for and what it pays.\n\n"
        f"Create your account here; the link works once, until {until:%-d %B %Y, %H:%M} UTC:\n\n{sent.link}\n\n"
        "If you do not know what this is about, ignore this e-mail. No account is created unless you create it.\n"
    )


def read_invitation(token: str, now: datetime) -> Invitation:
    """Return the invitation of a link. Raises AccountRefused, with the reason, if it can no longer be used."""
    try:
        nonce = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        raise AccountRefused(
            "This invitation link is not valid.", "Copy the whole link, or ask for a new one."
        ) from None
    row = Invitation.objects.filter(nonce=nonce).first()
    state = "revoked" if row is None else row.state(now)
    if row is None or state != "open":
        raise _invitation_refusal(state)
    return row


def _invitation_refusal(state: str) -> AccountRefused:
    return {
        "used": AccountRefused("This invitation has already been used.", "If that was you, sign in."),
        "expired": AccountRefused(
            "This invitation has expired.", "Ask the person who sent it for a new one."
        ),
    }.get(
        state, AccountRefused("This invitation was withdrawn.", "Ask the person who sent it for a new one.")
    )


def accept_invitation(
    token: str,
    *,
    username: str,
    password: str,
    email: str = "",
    country: str = "",
    program: bool = False,
    now: datetime,
) -> Worker:
    """Create the account that an invitation allows, and use the invitation up in the same transaction."""
    row = read_invitation(token, now)
    with transaction.atomic():
        if not Invitation.objects.open_at(now).filter(pk=row.pk).update(used_at=now):
            raise _invitation_refusal("used")
        worker = accounts.create_worker(
            username,
            password=password,
            email=email,
            country=row.country or country,
            country_by_operator=bool(row.country),
            program=program,
            # The link was mailed to this address, so its holder reads mail there.
            confirmed=row.mailed and email.lower() == row.email.lower(),
            now=now,
        )
        Invitation.objects.filter(pk=row.pk).update(worker=worker)
    return worker


def revoke_invitation(number: int, now: datetime) -> Invitation:
    """Withdraw an invitation; raises AccountRefused if it is unknown or already used."""
    row = Invitation.objects.filter(pk=number).first()
    if row is None:
        raise AccountRefused(f"There is no invitation {number}.", "`invitations` lists all invitations.")
    if row.used_at is not None:
        raise AccountRefused(
            f"Invitation {number} was already used.", "`set_worker NAME --close` closes the account."
        )
    Invitation.objects.filter(pk=number, used_at=None, revoked_at=None).update(revoked_at=now)
    row.refresh_from_db()
    return row


def all_invitations() -> QuerySet[Invitation]:
    """Return every invitation, newest first."""
    return Invitation.objects.select_related("worker").order_by("-pk")
