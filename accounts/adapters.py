"""Adapters for django-allauth. Sign-up is closed unless a setting or an invitation opens it."""

import logging
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest

from accounts.errors import InvitationOver
from accounts.models import Invitation, User
from accounts.services.invitations import accept, invitation_of
from accounts.signup import anybody_may_join

logger = logging.getLogger(__name__)
#: Session key for the secret of an opened invitation link, stored while the visitor signs in at an OpenID provider.
SESSION_KEY = "invitation"


class AccountAdapter(DefaultAccountAdapter):
    """The adapter for accounts with a password. Its sign-up page is open to everyone if OPEN_SIGNUP is on.

    Invited people create their accounts on another page (web.home.invitation_views).
    """

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.OPEN_SIGNUP)

    def get_reset_password_from_key_url(self, key: str) -> str:
        return _at_our_address(super().get_reset_password_from_key_url(key))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return _at_our_address(super().get_email_confirmation_url(request, emailconfirmation))

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Notify the person of a change to the account. The change takes effect even if the mail cannot be sent."""
        try:
            super().send_notification_mail(*args, **kwargs)
        except OSError:  # any error of SMTP or the network
            logger.warning("The notice of a change to an account could not be mailed.", exc_info=True)


def _at_our_address(link: str) -> str:
    """Return the link with PUBLIC_URL in place of the host name that the request used."""
    return settings.PUBLIC_URL + urlsplit(link).path


class SocialAdapter(DefaultSocialAccountAdapter):
    """The adapter for accounts of an OpenID provider.

    A person can sign up if a setting opens sign-up to everyone, or with an invitation that is stored in the session.
    """

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return bool(anybody_may_join() or _session_invitation(request))

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        """Save the new account and mark its invitation as accepted, so that one link creates only one account."""
        with transaction.atomic():
            user: User = super().save_user(request, sociallogin, form)
            if (invitation := _session_invitation(request)) is not None:
                accept(invitation, user)
        return user


def _session_invitation(request: HttpRequest) -> Invitation | None:
    try:
        return invitation_of(request.session.get(SESSION_KEY, ""))
    except InvitationOver:
        return None
