"""Accounts: requesters and their keys, workers and their sign-in links."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import F

from marketplace import worker_names
from marketplace.errors import AccountRefused
from marketplace.models import LedgerEntry, Requester, RequesterKey, SigninLink, Worker
from marketplace.services import passwords, requesters

_LINK_SALT = "marketplace.signin"


def create_requester(name: str, *, opening_cents: int, now: datetime, email: str = "") -> RequesterKey:
    """A requester with an opening balance and a first key; what workers write is mailed to ``email``, if any.

    Raises AccountRefused when the name is taken, and for what is no address.
    """
    if email:
        requesters.check_email(email)
    try:
        with transaction.atomic():
            requester = Requester.objects.create(
                name=name, email=email, balance_cents=opening_cents, created_at=now
            )
            LedgerEntry.objects.create(
                requester=requester,
                kind=LedgerEntry.Kind.OPENING,
                amount_cents=opening_cents,
                made_at=now,
            )
            return RequesterKey.objects.create(requester=requester, created_at=now)
    except IntegrityError:
        raise AccountRefused(f"There is a requester {name} already.", "Choose another name.") from None


def top_up(name: str, cents: int, now: datetime, *, reference: str = "") -> tuple[Requester, bool]:
    """Add to a requester's balance; true when it was added, false when ``reference`` was entered before.

    Raises AccountRefused when there is no such requester, or the reference stands for another amount.
    """
    requester = requesters.find(name)
    try:
        with transaction.atomic():
            LedgerEntry.objects.create(
                requester=requester,
                kind=LedgerEntry.Kind.TOP_UP,
                amount_cents=cents,
                reference=reference,
                made_at=now,
            )
            Requester.objects.filter(pk=requester.pk).update(balance_cents=F("balance_cents") + cents)
        added = True
    except IntegrityError:
        entered = requester.ledger.get(reference=reference)
        if entered.amount_cents != cents:
            raise AccountRefused(
                f"The reference {reference} was entered before, with another amount.",
                "Check which of the two is right; nothing was added.",
            ) from None
        added = False
    requester.refresh_from_db()
    return requester, added


def create_worker(
    username: str,
    *,
    password: str | None,
    email: str = "",
    country: str = "",
    country_by_operator: bool = False,
    program: bool = False,
    confirmed: bool = False,
    now: datetime,
) -> Worker:
    """A worker account; without a password it can be entered by a sign-in link only.

    A link that confirms the address is mailed to it, unless it is ``confirmed`` already. ``program``: it works in
    people's place, and nobody is paid for what it does. ``country_by_operator``: it is not the worker's to change.
    Raises AccountRefused for a name that is taken or reserved.
    """
    username = worker_names.one_spelling(username)
    if refusal := worker_names.refusal(username, program=program):
        raise AccountRefused(refusal)
    worker = Worker(
        username=username,
        email=email,
        country=country.upper(),
        country_by_operator=bool(country) and country_by_operator,
        is_program=program,
        created_at=now,
    )
    worker.email_confirmed_at = now if email and confirmed else None
    if password is None:
        worker.set_unusable_password()
    else:
        worker.set_password(password)
    try:
        with transaction.atomic():
            worker.save(force_insert=True)
            passwords.ask_to_confirm(worker, now)
    except IntegrityError:
        raise AccountRefused("This name is taken.", "Choose another one.") from None
    return worker


def signin_token(worker: Worker, now: datetime) -> str:
    """A token for ``/signin/token/<token>/``; it works once, for the time the settings give."""
    nonce = secrets.token_urlsafe(24)
    SigninLink.objects.create(
        worker=worker, nonce=nonce, expires_at=now + timedelta(hours=settings.SIGNIN_LINK_HOURS)
    )
    return signing.dumps(nonce, salt=_LINK_SALT)


def redeem_signin_token(token: str, now: datetime) -> Worker:
    """The worker a token signs in; raises AccountRefused when it is wrong, used or too old."""
    refusal = AccountRefused(
        "This sign-in link no longer works.", "It works once, for a few days. Ask for a new one."
    )
    try:
        nonce = signing.loads(token, salt=_LINK_SALT)
    except signing.BadSignature:
        raise refusal from None
    fresh = SigninLink.objects.filter(nonce=nonce, used_at=None, expires_at__gt=now, worker__is_active=True)
    if not fresh.update(used_at=now):
        raise refusal
    return Worker.objects.get(signin_links__nonce=nonce)


def find_worker(name: str) -> Worker:
    """The worker with that id, or else the one who signs in with that name; raises AccountRefused.

    The id comes first: somebody may have chosen another worker's id as a name.
    """
    row = Worker.objects.filter(worker_id=name.strip()).first()
    row = row or Worker.objects.filter(username=worker_names.one_spelling(name)).first()
    if row is None:
        raise AccountRefused(f"There is no worker {name}.", "`workers` lists them.")
    return row
