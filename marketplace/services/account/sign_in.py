"""Signing in with name and password, limited by the settings.

Two rate limits apply: one per name and one per network address. Each attempt takes a token from both before the
password is checked, and returns them if the password is right. So simultaneous attempts cannot exceed the limits, and
correct passwords do not count.
"""

import hashlib

from django.conf import settings
from django.contrib.auth import authenticate
from django.http import HttpRequest

from marketplace.errors import SignInRefused
from marketplace.models import Worker
from marketplace.services import rates
from marketplace.services.rates import Rate

WINDOW_SECONDS = 900
_PER_ADDRESS = 10
_RESETS = Rate(WINDOW_SECONDS, 4)


def sign_in(request: HttpRequest, username: str, password: str, address: str) -> Worker:
    """Return the worker with this name and password, for an attempt from a network ``address``.

    Raises SignInRefused with reason ``throttled``, ``closed`` or ``wrong``.
    """
    taken = _take_attempt(username, address)
    worker = authenticate(request, username=username, password=password)
    if isinstance(worker, Worker):
        for name, rate in taken:
            rates.undo_take(name, rate)
        return worker
    known = Worker.objects.filter(username=username.strip().lower(), is_active=False).first()
    if known is not None and known.check_password(password):
        raise SignInRefused(
            "closed", "This account is closed.", "Ask the person who invited you. Your earnings are not lost."
        )
    raise SignInRefused("wrong", "Wrong name or password.", "Check both and try again.")


def prove_owner(worker: Worker, password: str, *, address: str, recent: bool) -> None:
    """Check that a change comes from the account's owner, not from somebody with a stolen session.

    The proof is the password or, for accounts without a password, a ``recent`` sign-in. Raises SignInRefused with
    reason ``throttled``, ``wrong`` or ``old``.
    """
    if not worker.has_usable_password():
        if not recent:
            raise SignInRefused(
                "old",
                "You signed in too long ago to change this.",
                "Ask the person who invited you for a link to set a password.",
            )
        return
    taken = _take_attempt(worker.username, address)
    if not worker.check_password(password):
        raise SignInRefused("wrong", "This is not your current password.")
    for name, rate in taken:
        rates.undo_take(name, rate)


def _take_attempt(username: str, address: str) -> list[tuple[str, Rate]]:
    attempts = settings.SIGNIN_ATTEMPTS
    if not attempts:
        return []
    wanted = [
        (
            _bucket("address", address),
            Rate(WINDOW_SECONDS / attempts / _PER_ADDRESS, attempts * _PER_ADDRESS),
        ),
        (_bucket("name", username.strip().lower()), Rate(WINDOW_SECONDS / attempts, attempts)),
    ]
    taken: list[tuple[str, Rate]] = []
    for name, rate in wanted:
        if not rates.take_rate(name, rate):
            for earlier in taken:
                rates.undo_take(*earlier)
            raise SignInRefused(
                "throttled",
                "Too many wrong passwords.",
                "Wait a few minutes and try again, or set a new password.",
            )
        taken.append((name, rate))
    return taken


def may_ask_for_reset(identity: str) -> bool:
    """Count a request for a password or confirmation link, and return whether it is allowed.

    Four requests are allowed at once, then one every 15 minutes.
    """
    return rates.take_rate(_bucket("reset", identity.strip().lower()), _RESETS)


def _bucket(kind: str, value: str) -> str:
    """Return the name of a rate limit's bucket.

    The value is hashed, because people often type a password in place of their name.
    """
    return f"signin {kind} {hashlib.sha256(value.encode()).hexdigest()}"
