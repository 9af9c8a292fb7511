"""Accounts: requesters and their keys, workers and their sign-in links."""

import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import F

from marketplace.errors import AccountRefused
from marketplace.models import LedgerEntry, Requester, RequesterKey, SigninLink, Worker
from marketplace.rules import worker_names
from marketplace.services.account import passwords
from marketplace.services.operator import requesters

_LINK_SALT = "marketplace.signin"


def create_requester(name: str, *, opening_cents: int, now: datetime, email: str = "") -> RequesterKey:
    """Create a requester with an opening balance and a first key. Workers' messages are mailed to ``email``, if set.

    Raises AccountRefused if the name is taken or the address is not valid.
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
        raise AccountRefused(f"The requester {name} already exists.", "Choose another name.") from None


def add_funds(name: str, cents: int, now: datetime, *, reference: str = "") -> tuple[Requester, bool]:
    """Add ``cents`` to a requester's balance, unless ``reference`` was already added.

    Returns the requester, and whether this call added the amount.

    Raises AccountRefused if there is no such requester, or if the reference was used for another amount.
    """
    requester = requesters.requester_named(name)
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
                f"The reference {reference} was already used for another amount.",
                "Nothing was added. Check which amount is right.",
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
    """Create a worker account. Without a password, only a sign-in link or a password link gives access to it.

    A confirmation link is mailed to ``email``, unless the address is already ``confirmed``. ``program`` marks the
    account of a program, which works in place of people and is not paid. With ``country_by_operator`` the worker
    cannot change the country. Raises AccountRefused for a name that is taken or not allowed.
    """
    username = worker_names.one_spelling(username)
    if refusal := worker_names.name_refusal(username, program=program):
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
    """Return a token for ``/signin/token/<token>/``. It works once, for the configured time."""
    nonce = secrets.token_urlsafe(24)
    SigninLink.objects.create(
        worker=worker, nonce=nonce, expires_at=now + timedelta(hours=settings.SIGNIN_LINK_HOURS)
    )
    return signing.dumps(nonce, salt=_LINK_SALT)


def redeem_signin_token(token: str, now: datetime) -> Worker:
    """Use up a sign-in token and return its worker.

    Raises AccountRefused if the token is invalid, used or expired, or if the account is closed.
    """
    refusal = AccountRefused(
        "This sign-in link no longer works.", "It works once, for a limited time. Ask for a new one."
    )
    try:
        nonce = signing.loads(token, salt=_LINK_SALT)
    except signing.BadSignature:
        raise refusal from None
    fresh = SigninLink.objects.filter(nonce=nonce, used_at=None, expires_at__gt=now, worker__is_active=True)
    if not fresh.update(used_at=now):
        raise refusal
    return Worker.objects.get(signin_links__nonce=nonce)


def worker_by_name(name: str) -> Worker:
    """Return the worker with this id, or else with this sign-in name; raises AccountRefused.

    The id is checked first, because a worker can choose another worker's id as a name.
    """
    row = Worker.objects.filter(worker_id=name.strip()).first()
    row = row or Worker.objects.filter(username=worker_names.one_spelling(name)).first()
    if row is None:
        raise AccountRefused(f"There is no worker {name}.", "`workers` lists all workers.")
    return row
