"""Create, mail, withdraw and accept invitations."""

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
from accounts.services.administrators import has_administrator
from accounts.user_names import VALIDATORS
from config import clock

logger = logging.getLogger(__name__)
#: The ``email`` of an invitation without an address. The person who accepts it can enter one.
ANYBODY = ""
FIRST_LINK_HOURS = 24
OVER = InvitationOver(
    "This invitation was used or withdrawn, or has expired.", "Ask the person who invited you for a new one."
)


@dataclass(frozen=True)
class Invited:
    """A new invitation with its link. The database stores only a hash of the link's secret."""

    invitation: Invitation
    link: str = field(repr=False)


def create_invitation(*, email: str, invited_by: User | None, administrator: bool = False) -> Invited:
    """Create an invitation whose link works once and expires after INVITATION_DAYS.

    Raises NotAnAccount if the e-mail address is invalid.
    """
    try:
        validate_email(email)
    except ValidationError:
        raise NotAnAccount(f"{email!r} is not an e-mail address.") from None
    return _save_invitation(email, timedelta(days=settings.INVITATION_DAYS), administrator, invited_by)


def _save_invitation(
    email: str, lasts: timedelta, administrator: bool, invited_by: User | None = None
) -> Invited:
    secret = new_secret()
    invitation = Invitation.objects.create(
        email=email,
        digest=secret.digest,
        administrator=administrator,
        invited_by=invited_by,
        expires_at=clock.now() + lasts,
    )
    return Invited(invitation, settings.PUBLIC_URL + reverse("web:invitation", args=[secret.text]))


def first_administrator_link() -> str:
    """Return a new link that creates the first administrator, or "" if there already is an administrator.

    The link works once, within FIRST_LINK_HOURS. Earlier links stop working.
    """
    now = clock.now()
    Invitation.objects.open(now).filter(email=ANYBODY, administrator=True).update(withdrawn_at=now)
    if has_administrator():
        return ""
    return _save_invitation(ANYBODY, timedelta(hours=FIRST_LINK_HOURS), administrator=True).link


def mail(invited: Invited, *, to_what: str) -> bool:
    """Mail the link if this installation sends e-mail. Return whether it was sent; if not, the caller shows the link.

    ``to_what`` names the collection, team or installation that the person is invited to.
    """
    if not settings.MAIL:
        return False
    invitation = invited.invitation
    text = render_to_string(
        "account/email/invitation.txt",
        {"invitation": invitation, "link": invited.link, "to_what": to_what},
    )
    try:
        send_mail(f"Invitation to {to_what}", text, None, [invitation.email])
    except OSError:  # any error of SMTP or the network
        logger.warning("An invitation could not be mailed.", exc_info=True)
        return False
    Invitation.objects.filter(pk=invitation.pk).update(mailed=True)
    return True


def invitation_of(secret: str, *, taken_by: User | None = None) -> Invitation:
    """Return the invitation with this link's secret, if it is open or ``taken_by`` already accepted it.

    Raises InvitationOver otherwise.
    """
    found = Invitation.objects.select_related("invited_by").filter(digest=digest_of(secret))
    if (invitation := found.open(clock.now()).first()) is not None:
        return invitation
    if taken_by is not None and (taken := found.filter(accepted_by=taken_by).first()) is not None:
        return taken
    raise OVER


def void_invitation(invitation: Invitation) -> None:
    """Withdraw the invitation. Does nothing if it was already accepted."""
    now = clock.now()
    Invitation.objects.open(now).filter(pk=invitation.pk).update(withdrawn_at=now)


def accept(invitation: Invitation, user: User) -> None:
    """Mark the invitation as accepted by this person, and make them an administrator if the invitation says so.

    Raises InvitationOver if the invitation is no longer open, for instance because another person has just accepted
    it, or if it is for the first administrator and there is one already. Accepting it again changes nothing.
    """
    now = clock.now()
    with transaction.atomic():
        taken = Invitation.objects.open(now).filter(pk=invitation.pk)
        if not taken.update(accepted_at=now, accepted_by=user):
            if Invitation.objects.filter(pk=invitation.pk, accepted_by=user).exists():
                return
            raise OVER
        if invitation.email == ANYBODY and has_administrator(beside=user):
            raise OVER
        if invitation.administrator:
            User.objects.filter(pk=user.pk).update(is_superuser=True, is_staff=True)


def accept_with_new_account(invitation: Invitation, *, username: str, password: str, email: str = "") -> User:
    """Create an account and accept the invitation with it. Raises InvitationOver, NotAnAccount, ValidationError.

    ``email`` is the account's address if the invitation names none.
    """
    email = invitation.email or email
    for validate in VALIDATORS:
        validate(username)
    validate_password(password, User(username=username, email=email))
    if User.objects.filter(username__iexact=username).exists():
        raise _user_name_taken(username)
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, email, password)
            accept(invitation, user)
            if email:
                _keep_address(invitation, user)
    except IntegrityError:
        raise _user_name_taken(username) from None
    return user


def _keep_address(invitation: Invitation, user: User) -> None:
    """Store the account's e-mail address.

    It counts as verified if the link was mailed to it and no account has verified it before.
    """
    held = EmailAddress.objects.filter(email__iexact=user.email, verified=True).exists()
    EmailAddress.objects.create(
        user=user, email=user.email, primary=True, verified=invitation.mailed and not held
    )


def _user_name_taken(username: str) -> NotAnAccount:
    return NotAnAccount(f"The name {username} is taken.", "Choose another, or sign in if it is yours.")
