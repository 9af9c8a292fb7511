"""Requesters, for whoever runs the marketplace: their keys, their money."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Count, Q, QuerySet

from marketplace.errors import AccountRefused
from marketplace.models import LedgerEntry, Requester, RequesterKey

#: An address carries a signature by each key that is valid, up to so many.
MOST_SIGNATURES = 8


@dataclass(frozen=True)
class Rotated:
    """A new key, and until when the old ones go on working."""

    key: RequesterKey
    old: int
    until: datetime


def find(name: str) -> Requester:
    """The requester of that name; raises AccountRefused."""
    row = Requester.objects.filter(name=name).first()
    if row is None:
        raise AccountRefused(f"There is no requester {name}.", "`requesters` lists them.")
    return row


def check_email(email: str) -> None:
    """Raises AccountRefused for what is no e-mail address."""
    try:
        validate_email(email)
    except ValidationError:
        raise AccountRefused(f"{email} is no e-mail address.") from None


def set_email(name: str, email: str) -> Requester:
    """Have what workers write mailed there, or nowhere when it is empty; raises AccountRefused."""
    if email:
        check_email(email)
    requester = find(name)
    requester.email = email
    requester.save(update_fields=["email"])
    return requester


def listed(now: datetime) -> QuerySet[Any]:
    """Every requester by name, each with its number of ``valid_keys``."""
    valid = Q(keys__active=True) & (Q(keys__expires_at=None) | Q(keys__expires_at__gt=now))
    return Requester.objects.annotate(valid_keys=Count("keys", filter=valid, distinct=True)).order_by("name")


def keys_of(requester: Requester) -> QuerySet[RequesterKey]:
    """The requester's keys, the newest first."""
    return requester.keys.order_by("-pk")


def secrets_of(requester: Requester, now: datetime) -> list[str]:
    """The secrets that sign the requester's calls now, the newest first."""
    valid = RequesterKey.objects.valid_at(now).filter(requester=requester).order_by("-pk")
    return list(valid.values_list("secret_key", flat=True)[:MOST_SIGNATURES])


def rotate_key(requester: Requester, now: datetime, *, grace: timedelta) -> Rotated:
    """A new key; the keys that work now stop after ``grace``, or earlier where that was set before."""
    until = now + grace
    with transaction.atomic():
        valid = RequesterKey.objects.valid_at(now).filter(requester=requester)
        old = valid.filter(Q(expires_at=None) | Q(expires_at__gt=until)).update(expires_at=until)
        key = RequesterKey.objects.create(requester=requester, created_at=now)
    return Rotated(key, old, until)


def revoke_key(access_key: str) -> RequesterKey:
    """End a key at once; harmless when it has ended already. Raises AccountRefused for an unknown one."""
    rows = RequesterKey.objects.select_related("requester").filter(access_key=access_key)
    if not rows.update(active=False):
        raise AccountRefused(f"There is no key {access_key}.", "`requester_keys NAME` lists them.")
    return rows.get()


def ledger_of(requester: Requester) -> QuerySet[LedgerEntry]:
    """Every movement of the balance, the oldest first; their sum is the balance."""
    return requester.ledger.select_related("worker", "assignment").order_by("pk")
