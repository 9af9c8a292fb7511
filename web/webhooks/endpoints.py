"""Webhook endpoints: create, test, switch off and on, delete."""

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from config import clock
from config.sealed_secrets import SealBroken, seal, unseal
from pooling.collections import members
from pooling.models import Collection
from web.errors import AddressRefused, NoEvents, WebhookRefused
from web.models import WebhookDelivery, WebhookEndpoint
from web.webhooks.event_messages import KINDS, TEST, test_body
from web.webhooks.reachable_addresses import look_up
from web.webhooks.webhook_signature import new_webhook_secret

MANAGE = "manage webhooks"
PURPOSE = "webhook secret"
MOST = 10
OVERLAP = timedelta(hours=24)
#: Limits messages requested by hand, so that the form cannot be used to flood an address.
MOST_BY_HAND = 10
BY_HAND_WITHIN = timedelta(minutes=1)
JUST_SENT = timedelta(seconds=5)


@dataclass(frozen=True)
class Registered:
    """A webhook and its secret, which is shown once."""

    endpoint: WebhookEndpoint
    secret: str


def register_endpoint(
    *, collection: Collection, address: str, events: Sequence[str], user: Any
) -> Registered:
    """Create a webhook for these kinds of event. Raises NoEvents, AddressRefused, WebhookRefused."""
    chosen, address = _checked_events(events), address.strip()
    try:
        look_up(address)
    except OSError:
        raise AddressRefused(
            "The host in the address was not found.", "Check it, or try again in a moment."
        ) from None
    if WebhookEndpoint.objects.filter(collection=collection).count() >= MOST:
        raise WebhookRefused(f"The collection already has {MOST} webhooks.", "Delete one that is not needed.")
    secret = new_webhook_secret()
    try:
        with transaction.atomic():
            endpoint = WebhookEndpoint.objects.create(
                collection=collection,
                address=address,
                events=chosen,
                secret=seal(secret, purpose=PURPOSE),
                kept_by=user,
            )
            _log_webhook(endpoint, "registered", user)
    except IntegrityError:
        raise WebhookRefused(
            "The collection already has a webhook with this address.", "Change that one, or delete it first."
        ) from None
    return Registered(endpoint, secret)


def choose_events(*, endpoint: WebhookEndpoint, events: Sequence[str], user: Any) -> None:
    """Change a webhook's kinds of event. Raises NoEvents."""
    chosen = _checked_events(events)
    with transaction.atomic():
        WebhookEndpoint.objects.filter(pk=endpoint.pk).update(events=chosen)
        _log_webhook(endpoint, f"receives {', '.join(chosen)}", user)
    endpoint.refresh_from_db()


def rotate_secret(*, endpoint: WebhookEndpoint, user: Any, overlap: timedelta = OVERLAP) -> Registered:
    """Give a webhook a new secret; during ``overlap``, messages are signed with both secrets."""
    secret, now = new_webhook_secret(), clock.now()
    with transaction.atomic():
        held = WebhookEndpoint.objects.select_for_update().get(pk=endpoint.pk)
        held.previous_secret = held.secret if overlap else ""
        held.previous_until = now + overlap if overlap else None
        held.secret = seal(secret, purpose=PURPOSE)
        held.save(update_fields=["secret", "previous_secret", "previous_until"])
        _log_webhook(endpoint, "has a new secret", user)
    endpoint.refresh_from_db()
    return Registered(endpoint, secret)


def signing_keys(endpoint: WebhookEndpoint, now: datetime) -> list[str]:
    """Return the secrets that sign messages now, newest first. Raises SealBroken if the newest cannot be unsealed."""
    keys = [unseal(endpoint.secret, purpose=PURPOSE)]
    if endpoint.previous_secret and endpoint.previous_until and endpoint.previous_until > now:
        with suppress(SealBroken):  # the old secret may have been replaced because it cannot be unsealed
            keys.append(unseal(endpoint.previous_secret, purpose=PURPOSE))
    return keys


def switch_on(*, endpoint: WebhookEndpoint, user: Any) -> None:
    """Switch a webhook on with this person's permissions; waiting messages are sent."""
    with transaction.atomic():
        off = WebhookEndpoint.objects.filter(pk=endpoint.pk).exclude(off_at=None)
        if off.update(off_at=None, off_why="", failing_since=None, kept_by=user):
            WebhookDelivery.objects.filter(
                endpoint=endpoint, state=WebhookDelivery.State.WAITING, next_try_at__gt=clock.now()
            ).update(next_try_at=clock.now())
            _log_webhook(endpoint, "switched on", user)
    endpoint.refresh_from_db()


def switch_off(*, endpoint: WebhookEndpoint, user: Any = None, why: str = "") -> None:
    """Switch a webhook off; waiting messages stay. ``why`` is the reason if no person decided it."""
    with transaction.atomic():
        on = WebhookEndpoint.objects.filter(pk=endpoint.pk, off_at=None)
        if on.update(off_at=clock.now(), off_why=why[:300]):
            _log_webhook(endpoint, "switched off" + (f": {why}" if why else ""), user)
    endpoint.refresh_from_db()


def remove_endpoint(*, endpoint: WebhookEndpoint, user: Any) -> None:
    with transaction.atomic():
        _log_webhook(endpoint, "deleted", user)
        endpoint.delete()


def check_owner_rights(endpoint: WebhookEndpoint) -> bool:
    """Return whether the webhook's owner still has the necessary rights; if not, switch the webhook off."""
    person = endpoint.kept_by
    if person is not None and members.may(person, MANAGE, endpoint.collection):
        return True
    who = person.get_username() if person else "The person who created it or last switched it on"
    why = f"{who} no longer owns the collection. Switch the webhook on to use it with your permissions."
    switch_off(endpoint=endpoint, why=why)
    return False


def send_test(*, endpoint: WebhookEndpoint) -> WebhookDelivery:
    """Create a test message, which is due at once. Raises WebhookRefused."""
    _refuse_by_hand(endpoint)
    return WebhookDelivery.objects.create(
        endpoint=endpoint,
        message_id=f"msg_{uuid.uuid4().hex}",
        kind=TEST,
        body=test_body(endpoint.collection, clock.now()),
    )


def resend(*, delivery: WebhookDelivery) -> None:
    """Make the message due again now, with the same id and a new series of attempts. Raises WebhookRefused."""
    _refuse_by_hand(delivery.endpoint)
    if delivery.last_tried_at and clock.now() - delivery.last_tried_at < JUST_SENT:
        raise WebhookRefused("The message was sent a moment ago.", "Wait for the answer, then try again.")
    WebhookDelivery.objects.filter(pk=delivery.pk).update(
        state=WebhookDelivery.State.WAITING, tries=0, next_try_at=clock.now()
    )
    delivery.refresh_from_db()


def _refuse_by_hand(endpoint: WebhookEndpoint) -> None:
    if endpoint.off_at is not None:
        raise WebhookRefused("The webhook is switched off.", "Switch it on first.")
    since = clock.now() - BY_HAND_WITHIN
    rows = WebhookDelivery.objects.filter(endpoint=endpoint)
    lately = rows.filter(kind=TEST, created_at__gte=since) | rows.filter(last_tried_at__gte=since)
    if lately.count() >= MOST_BY_HAND:
        raise WebhookRefused(
            f"{MOST_BY_HAND} messages were sent to this webhook within a minute.",
            "Wait a minute, then try again.",
        )


def _checked_events(events: Sequence[str]) -> list[str]:
    chosen = [kind for kind in KINDS if kind in events]
    if not chosen or set(events) - set(KINDS):
        raise NoEvents("A webhook needs at least one kind of event.", f"Choose from: {', '.join(KINDS)}.")
    return chosen


def host_of(endpoint: WebhookEndpoint) -> str:
    """Return the host in the webhook's address; the rest can contain the receiver's secrets."""
    return endpoint.address.partition("://")[2].partition("/")[0].partition("?")[0]


def _log_webhook(endpoint: WebhookEndpoint, what: str, user: Any) -> None:
    who = user.get_username() if user else ""
    members.log(endpoint.collection, f"webhook at {host_of(endpoint)[:120]} {what}"[:300], who=who)
