"""The operator's services for requesters: keys and money."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Count, Q, QuerySet

from marketplace.errors import AccountRefused
from marketplace.models import LedgerEntry, Requester, RequesterKey

#: The maximum number of signatures in a signed address, one per valid key.
MOST_SIGNATURES = 8


@dataclass(frozen=True)
class Rotated:
    """A new key, the number of old keys that now expire at ``until``, and this time.

    Keys that expire earlier are not counted.
    """

    key: RequesterKey
    old: int
    until: datetime


def requester_named(name: str) -> Requester:
    """Return the requester of that name; raises AccountRefused."""
    row = Requester.objects.filter(name=name).first()
    if row is None:
        raise AccountRefused(f"There is no requester {name}.", "`requesters` lists all requesters.")
    return row


def check_email(email: str) -> None:
    """Raise AccountRefused if the e-mail address is not valid."""
    try:
        validate_email(email)
    except ValidationError:
        raise AccountRefused(f"{email} is not an e-mail address.") from None


def set_email(name: str, email: str) -> Requester:
    """Set the address for workers' messages, which can be empty; raises AccountRefused if it is not valid."""
    if email:
        check_email(email)
    requester = requester_named(name)
    requester.email = email
    requester.save(update_fields=["email"])
    return requester


def all_requesters(now: datetime) -> QuerySet[Any]:
    """Return every requester by name, each with its number of ``valid_keys``."""
    valid = Q(keys__active=True) & (Q(keys__expires_at=None) | Q(keys__expires_at__gt=now))
    return Requester.objects.annotate(valid_keys=Count("keys", filter=valid, distinct=True)).order_by("name")


def requester_keys(requester: Requester) -> QuerySet[RequesterKey]:
    """Return the requester's keys, newest first."""
    return requester.keys.order_by("-pk")


def secrets_of(requester: Requester, now: datetime) -> list[str]:
    """Return the secrets of the requester's valid keys, newest first, at most :data:`MOST_SIGNATURES`."""
    valid = RequesterKey.objects.valid_at(now).filter(requester=requester).order_by("-pk")
    return list(valid.values_list("secret_key", flat=True)[:MOST_SIGNATURES])


def rotate_key(requester: Requester, now: datetime, *, grace: timedelta) -> Rotated:
    """Create a new key. Current keys expire after ``grace``, or earlier if an earlier end was already set."""
    until = now + grace
    with transaction.atomic():
        valid = RequesterKey.objects.valid_at(now).filter(requester=requester)
        old = valid.filter(Q(expires_at=None) | Q(expires_at__gt=until)).update(expires_at=until)
        key = RequesterKey.objects.create(requester=requester, created_at=now)
    return Rotated(key, old, until)


def revoke_key(access_key: str) -> RequesterKey:
    """Revoke a key immediately. Safe to repeat. Raises AccountRefused for an unknown key."""
    rows = RequesterKey.objects.select_related("requester").filter(access_key=access_key)
    if not rows.update(active=False):
        raise AccountRefused(
            f"There is no key {access_key}.", "`requester_keys NAME` lists a requester's keys."
        )
    return rows.get()


def ledger_of(requester: Requester) -> QuerySet[LedgerEntry]:
    """Return every movement of the balance, oldest first; their sum is the balance."""
    return requester.ledger.select_related("worker", "assignment").order_by("pk")
