"""Links that set a password or confirm an e-mail address, and notices of changes to an account."""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core import signing
from django.db import transaction
from django.db.models import Q

from marketplace.errors import AccountRefused
from marketplace.models import Worker
from marketplace.services import outbox
from marketplace.services.account import sign_in as signing_in

_ADDRESS_SALT = "marketplace.address"
_ADDRESS_LIFETIME = timedelta(days=3)
_MOST_ACCOUNTS = 5


def password_link(worker: Worker) -> str:
    """Return a link that sets a new password.

    It works once. It expires earlier if the worker signs in or gets another e-mail address or password.
    """
    token = default_token_generator.make_token(worker)
    return f"{settings.PUBLIC_URL}/password/{worker.worker_id}/{token}/"


def ask_for_link(identity: str, now: datetime) -> None:
    """Mail a link to the owner of this name or address, if the address is confirmed.

    The response does not reveal whether the account exists.
    """
    identity = identity.strip()
    if not settings.MAIL or not identity or not signing_in.may_ask_for_reset(identity):
        return
    named = Worker.objects.filter(Q(username=identity.lower()) | Q(email__iexact=identity), is_active=True)
    reachable = named.exclude(email="").exclude(email_confirmed_at=None)
    for worker in reachable.order_by("pk")[:_MOST_ACCOUNTS]:
        outbox.write_mail(worker.email, "Set a new password", _password_mail(worker), now)


def _password_mail(worker: Worker) -> str:
    hours = "one hour" if settings.PASSWORD_LINK_HOURS == 1 else f"{settings.PASSWORD_LINK_HOURS:g} hours"
    return (
        f"Someone asked to reset the password of the account {worker.username}.\n\n"
        f"Set it here; the link works once, for {hours}:\n\n{password_link(worker)}\n\n"
        "If it was not you, ignore this e-mail. Your password stays the same.\n"
    )


def _notify_owner(worker: Worker, subject: str, text: str, now: datetime) -> None:
    """Mail the worker a notice of a change to the account, if their address is confirmed."""
    if worker.email and worker.email_confirmed_at is not None:
        text += "\n\nIf it was not you, tell the people who invited you and ask them for a new password.\n"
        outbox.write_mail(worker.email, subject, text, now)


def worker_of_link(worker_id: str, token: str) -> Worker:
    """Return the worker whose password a link sets; raises AccountRefused."""
    worker = Worker.objects.filter(worker_id=worker_id, is_active=True).first()
    if worker is None or not default_token_generator.check_token(worker, token):
        raise AccountRefused(
            "This link no longer works.", "It works once, for a limited time. Request a new one."
        )
    return worker


def set_password(worker: Worker, password: str, now: datetime) -> None:
    """Set a new password and notify the confirmed address. All other sessions and sign-in links end."""
    with transaction.atomic():
        worker.set_password(password)
        worker.save(update_fields=["password"])
        worker.signin_links.filter(used_at=None).delete()
        _notify_owner(
            worker,
            "Your password was changed",
            f"The password of your account {worker.username} was changed.",
            now,
        )


def change_payout(worker: Worker, method: str, details: str, now: datetime) -> None:
    """Store how the worker is paid outside the marketplace, and notify the confirmed address."""
    if (method, details) == (worker.payout_method, worker.payout_details):
        return
    with transaction.atomic():
        worker.payout_method, worker.payout_details = method, details
        worker.save(update_fields=["payout_method", "payout_details"])
        text = f"The payment details of your account {worker.username} were changed."
        _notify_owner(worker, "Your payment details were changed", text, now)


def change_address(worker: Worker, email: str, now: datetime) -> None:
    """Store another e-mail address, and notify the old one. The new one is used once it is confirmed."""
    if email == worker.email and worker.email_confirmed_at is not None:
        return
    with transaction.atomic():
        if email != worker.email:
            became = f"was changed to {email}" if email else "was removed"
            text = f"The e-mail address of your account {worker.username} {became}."
            _notify_owner(worker, "Your e-mail address was changed", text, now)
        worker.email, worker.email_confirmed_at = email, None
        worker.save(update_fields=["email", "email_confirmed_at"])
    ask_to_confirm(worker, now)


def ask_to_confirm(worker: Worker, now: datetime) -> None:
    """Mail a link that confirms the worker's address, if it is not yet confirmed."""
    email = worker.email
    if not email or worker.email_confirmed_at is not None:
        return
    if signing_in.may_ask_for_reset(f"address {worker.pk}"):
        token = signing.dumps([worker.worker_id, email], salt=_ADDRESS_SALT)
        text = (
            f"Confirm that this address belongs to the account {worker.username}; the link works for three "
            f"days:\n\n{settings.PUBLIC_URL}/address/{token}/\n\nIf you do not know the account, ignore this.\n"
        )
        outbox.write_mail(email, "Confirm your address", text, now)


def confirm_email_address(token: str, now: datetime) -> None:
    """Mark an address as confirmed; raises AccountRefused if the link expired or the address has changed."""
    try:
        worker_id, email = signing.loads(token, salt=_ADDRESS_SALT, max_age=_ADDRESS_LIFETIME)
    except signing.BadSignature:
        worker_id, email = "", ""
    if not Worker.objects.filter(worker_id=worker_id, email=email).update(email_confirmed_at=now):
        raise AccountRefused("This link no longer works.", "Enter the address on your account page again.")
