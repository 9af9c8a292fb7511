"""Invite people, and let them in."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.errors import InvitationOver, NotAnAccount
from accounts.models import Invitation, User
from accounts.secret_text import digest_of, new_secret
from accounts.user_names import VALIDATORS
from config import clock

logger = logging.getLogger(__name__)
OVER = InvitationOver(
    "This invitation was used, withdrawn or has expired.", "Ask the person who invited you for another one."
)


@dataclass(frozen=True)
class Invited:
    """An invitation that was made; the link is known now and never again."""

    invitation: Invitation
    link: str = field(repr=False)


def invite(
    *, email: str, invited_by: User | None, administrator: bool = False, days: int | None = None
) -> Invited:
    """Make an invitation. Its link is good for one person, once, until it expires. Raises NotAnAccount."""
    try:
        validate_email(email)
    except ValidationError:
        raise NotAnAccount(f"{email!r} is not an e-mail address.") from None
    secret = new_secret()
    invitation = Invitation.objects.create(
        email=email,
        digest=secret.digest,
        administrator=administrator,
        invited_by=invited_by,
        expires_at=clock.now() + timedelta(days=days or settings.INVITATION_DAYS),
    )
    return Invited(invitation, settings.PUBLIC_URL + reverse("web:invitation", args=[secret.text]))


def mail(invited: Invited, *, to_what: str) -> bool:
    """Send the link when this installation sends e-mail; whether it went. Only then it needs no showing."""
    if not settings.MAIL:
        return False
    invitation = invited.invitation
    text = render_to_string(
        "account/email/invitation.txt",
        {"invitation": invitation, "link": invited.link, "to_what": to_what},
    )
    try:
        send_mail(f"Invitation to {to_what}", text, None, [invitation.email])
    except OSError:  # every fault of SMTP and of the network
        logger.warning("An invitation could not be mailed.", exc_info=True)
        return False
    Invitation.objects.filter(pk=invitation.pk).update(mailed=True)
    return True


def invitation_of(secret: str, *, taken_by: User | None = None) -> Invitation:
    """The open invitation of a link, or the one that this person has taken already. Raises InvitationOver."""
    found = Invitation.objects.select_related("invited_by").filter(digest=digest_of(secret))
    if (invitation := found.open(clock.now()).first()) is not None:
        return invitation
    if taken_by is not None and (taken := found.filter(accepted_by=taken_by).first()) is not None:
        return taken
    raise OVER


def withdraw(invitation: Invitation) -> None:
    """Make the link useless. Nothing happens when it was used already."""
    now = clock.now()
    Invitation.objects.open(now).filter(pk=invitation.pk).update(withdrawn_at=now)


def accept(invitation: Invitation, user: User) -> None:
    """Use the invitation up for this person; of two who come at once one is refused. Raises InvitationOver."""
    now = clock.now()
    with transaction.atomic():
        mine = Invitation.objects.filter(pk=invitation.pk, accepted_by=user)
        taken = Invitation.objects.open(now).filter(pk=invitation.pk)
        if not taken.update(accepted_at=now, accepted_by=user) and not mine.exists():
            raise OVER
        if invitation.administrator:
            User.objects.filter(pk=user.pk).update(is_superuser=True, is_staff=True)


def accept_with_new_account(invitation: Invitation, *, username: str, password: str) -> User:
    """Make the account that the invitation is for. Raises InvitationOver, NotAnAccount, ValidationError."""
    for validate in VALIDATORS:
        validate(username)
    validate_password(password, User(username=username, email=invitation.email))
    if User.objects.filter(username__iexact=username).exists():
        raise _taken(username)
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, invitation.email, password)
            accept(invitation, user)
            _keep_address(invitation, user)
    except IntegrityError:
        raise _taken(username) from None
    return user


def _keep_address(invitation: Invitation, user: User) -> None:
    """The invitation's address becomes the account's, proven when the link was mailed to it alone."""
    held = EmailAddress.objects.filter(email__iexact=invitation.email, verified=True).exists()
    EmailAddress.objects.create(
        user=user, email=invitation.email, primary=True, verified=invitation.mailed and not held
    )


def _taken(username: str) -> NotAnAccount:
    return NotAnAccount(f"The name {username} is taken.", "Choose another, or sign in if it is yours.")
