"""Turn events into messages, send them, and retry failures later.

Each attempt is recorded, with the time of the next one, before anything is sent. If the process dies in between,
the message is sent again at that time with the same id. If two processes want to send a message, only one gets it.
"""

import logging
import random
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F

from config import clock
from config.background import events
from config.background.job_kinds import Progress
from config.background.models import Event
from config.plurals import many
from config.sealed_secrets import SealBroken
from pooling.models import Collection
from web.models import WebhookDelivery, WebhookEndpoint
from web.webhooks import webhook_signature as webhook_signing
from web.webhooks.endpoints import check_owner_rights, signing_keys, switch_off
from web.webhooks.event_messages import KINDS, body_of
from web.webhooks.posts import Reply, post
from web.webhooks.retries import seconds_after

logger = logging.getLogger("preferee.webhooks")
#: A webhook with abandoned messages is switched off if nothing has arrived for this long.
FAILING_FOR = timedelta(days=3)
#: If a process dies during the last attempt, the attempt is repeated after this time.
LAST_TRY = timedelta(minutes=10)
EVENTS_AT_ONCE = 500
MESSAGES_AT_ONCE = 50
GONE = 410
AGENT = "Preferee-Webhooks/1 (+https://www.standardwebhooks.com)"


def has_pending_work() -> bool:
    """Return whether any event is undelivered or any message is due. This takes two lookups in small indexes."""
    return events.undelivered_events().exists() or WebhookDelivery.objects.due(clock.now()).exists()


def write_messages() -> int:
    """Create a message about each new event for each subscribed webhook. Return the number of messages."""
    made = 0
    for event in list(events.undelivered_events()[:EVENTS_AT_ONCE]):
        rows: list[WebhookDelivery] = []

        def tell(event: Event, rows: list[WebhookDelivery] = rows) -> None:
            rows += _messages_about(event)
            WebhookDelivery.objects.bulk_create(rows)

        made += len(rows) if events.deliver_once(event, tell) else 0
    return made


def _messages_about(event: Event) -> list[WebhookDelivery]:
    collection = Collection.objects.filter(pk=event.collection_id).first()
    if collection is None or event.kind not in KINDS:
        return []
    on = WebhookEndpoint.objects.filter(collection=collection, off_at=None)
    asked = [one for one in on.select_related("kept_by", "collection") if event.kind in one.events]
    return [
        WebhookDelivery(
            endpoint=one,
            message_id=f"msg_{event.uid.hex}",
            kind=event.kind,
            body=body_of(event, collection),
        )
        for one in asked
        if check_owner_rights(one)
    ]


def due_endpoints() -> list[int]:
    due = WebhookDelivery.objects.due(clock.now())
    return list(due.order_by("endpoint").values_list("endpoint", flat=True).distinct())


def deliver_due(endpoint_id: int, *, rng: random.Random, progress: Progress | None = None) -> int:
    """Send this webhook's due messages in order, ``MESSAGES_AT_ONCE`` at most. Return the number delivered.

    Sending stops at the first failure, so that an address that does not answer blocks a job worker for one attempt.
    """
    arrived = 0
    for _ in range(MESSAGES_AT_ONCE):
        endpoint = (
            WebhookEndpoint.objects.select_related("collection", "kept_by").filter(pk=endpoint_id).first()
        )
        if endpoint is None or endpoint.off_at is not None or not check_owner_rights(endpoint):
            break
        delivery = _claim_next(endpoint, rng)
        if delivery is None or not _send_claimed(endpoint, delivery, rng):
            break
        arrived += 1
        if progress:
            progress(arrived, arrived, "Sending webhooks")
    return arrived


def _claim_next(endpoint: WebhookEndpoint, rng: random.Random) -> WebhookDelivery | None:
    """Claim and return the message that has waited longest; None if nothing is due."""
    while True:
        now = clock.now()
        due = WebhookDelivery.objects.due(now).filter(endpoint=endpoint)
        delivery = due.order_by("next_try_at", "pk").first()
        if delivery is None:
            return None
        wait = seconds_after(delivery.tries + 1, rng) or LAST_TRY
        taken = WebhookDelivery.objects.filter(
            pk=delivery.pk,
            state=WebhookDelivery.State.WAITING,
            tries=delivery.tries,
            next_try_at=delivery.next_try_at,
        )
        if taken.update(tries=F("tries") + 1, last_tried_at=now, next_try_at=now + wait):
            delivery.refresh_from_db()
            return delivery


def _send_claimed(endpoint: WebhookEndpoint, delivery: WebhookDelivery, rng: random.Random) -> bool:
    """Try to send a claimed message and record the result. Return whether it arrived."""
    now, body = clock.now(), delivery.body.encode()
    try:
        keys: Sequence[str] = signing_keys(endpoint, now)
    except SealBroken:
        switch_off(
            endpoint=endpoint,
            why="Its secret cannot be read because SECRET_KEY has changed. Create a new secret.",
        )
        return False
    signed = webhook_signing.headers(keys, delivery.message_id, int(now.timestamp()), body)
    reply = post(endpoint.address, body, {"Content-Type": "application/json", "User-Agent": AGENT} | signed)
    with transaction.atomic():
        _record_attempt(endpoint, delivery, reply, rng)
    fields = {
        "webhook": endpoint.pk,
        "message": delivery.message_id,
        "code": reply.code,
        "tries": delivery.tries,
    }
    logger.info("%s %s", delivery.kind, reply.problem or "arrived", extra={"fields": fields})
    return not reply.problem


def _record_attempt(
    endpoint: WebhookEndpoint, delivery: WebhookDelivery, reply: Reply, rng: random.Random
) -> None:
    now = clock.now()
    arrived, over = not reply.problem, seconds_after(delivery.tries, rng) is None or reply.code == GONE
    changes: dict[str, object] = {
        "reply_code": reply.code,
        "reply_text": reply.text,
        "problem": reply.problem,
        "seconds": round(reply.seconds, 3),
    }
    if arrived or over:
        state = WebhookDelivery.State.DELIVERED if arrived else WebhookDelivery.State.GIVEN_UP
        changes |= {"state": state, "next_try_at": None}
    # If a person has requested a resend in the meantime, keep the attempt count that it reset.
    mine = WebhookDelivery.objects.filter(
        pk=delivery.pk, state=WebhookDelivery.State.WAITING, tries=delivery.tries
    )
    mine.update(**changes)
    of_endpoint = WebhookEndpoint.objects.filter(pk=endpoint.pk)
    if arrived:
        of_endpoint.update(failing_since=None, last_success_at=now)
        return
    of_endpoint.filter(failing_since=None).update(failing_since=now)
    for current in of_endpoint:  # empty if the webhook was deleted in the meantime
        _switch_off_if_failing(current, reply, over, now)


def _switch_off_if_failing(endpoint: WebhookEndpoint, reply: Reply, over: bool, now: datetime) -> None:
    since = endpoint.failing_since
    if reply.code == GONE:
        switch_off(endpoint=endpoint, why="It answered 410 (Gone): its operator wants no more messages.")
    elif over and since is not None and now - since >= FAILING_FOR:
        switch_off(endpoint=endpoint, why=f"Nothing has arrived there for {many((now - since).days, 'day')}.")


def forget_old_deliveries() -> int:
    """Delete messages and delivered events past the configured age. Return the number of rows.

    Waiting messages stay unless their webhook is switched off.
    """
    if not settings.KEEP_DELIVERIES_DAYS:
        return 0
    before = clock.now() - timedelta(days=settings.KEEP_DELIVERIES_DAYS)
    over = WebhookDelivery.objects.filter(created_at__lt=before).exclude(
        state=WebhookDelivery.State.WAITING, endpoint__off_at=None
    )
    return over.delete()[0] + events.forget_delivered(before)
