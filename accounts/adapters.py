"""What django-allauth asks us: who may sign up. Nobody, unless a setting or an invitation says so."""

from __future__ import annotations

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
#: Where the session keeps the invitation that somebody came with, on the way to an OpenID provider and back.
SESSION_KEY = "invitation"


class AccountAdapter(DefaultAccountAdapter):
    """Sign-up with a password: by invitation (web.views.invitations), or open by a setting."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.OPEN_SIGNUP)

    def get_reset_password_from_key_url(self, key: str) -> str:
        return _at_our_address(super().get_reset_password_from_key_url(key))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return _at_our_address(super().get_email_confirmation_url(request, emailconfirmation))

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Tell somebody of a change to the account, which is made whether or not the mail leaves."""
        try:
            super().send_notification_mail(*args, **kwargs)
        except OSError:  # every fault of SMTP and of the network
            logger.warning("Nobody could be told of a change to an account.", exc_info=True)


def _at_our_address(link: str) -> str:
    """The link at the public address, whatever host name the request was sent to."""
    return settings.PUBLIC_URL + urlsplit(link).path


class SocialAdapter(DefaultSocialAccountAdapter):
    """Sign-up through an OpenID provider: as above, and with an invitation in the session."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return bool(anybody_may_join() or _brought(request))

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        """The new account uses up the invitation that let it in: one link, one account."""
        with transaction.atomic():
            user: User = super().save_user(request, sociallogin, form)
            if (invitation := _brought(request)) is not None:
                accept(invitation, user)
        return user


def _brought(request: HttpRequest) -> Invitation | None:
    try:
        return invitation_of(request.session.get(SESSION_KEY, ""))
    except InvitationOver:
        return None
