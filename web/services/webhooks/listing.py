"""Webhooks as their page and the API show them, and what of them needs a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet

from config import clock
from pooling.models import Collection
from web.models import WebhookDelivery, WebhookEndpoint
from web.services.webhooks.endpoints import host_of

GIVEN_UP = Q(deliveries__state=WebhookDelivery.State.GIVEN_UP)
WAITING = Q(deliveries__state=WebhookDelivery.State.WAITING)


@dataclass(frozen=True)
class Trouble:
    """A webhook that needs a person: which, and what is wrong."""

    endpoint: WebhookEndpoint
    words: str


def webhooks_of(collection: Collection) -> QuerySet[WebhookEndpoint]:
    """The collection's webhooks, each with how many messages wait and were given up."""
    rows = WebhookEndpoint.objects.filter(collection=collection).select_related("kept_by", "collection")
    return rows.annotate(
        waiting=Count("deliveries", filter=WAITING), given_up=Count("deliveries", filter=GIVEN_UP)
    ).order_by("pk")


def deliveries_of(endpoint: WebhookEndpoint, state: str = "") -> QuerySet[WebhookDelivery]:
    """What was sent there, the newest first; of one state when it is given."""
    rows = WebhookDelivery.objects.filter(endpoint=endpoint).order_by("-pk")
    return rows.filter(state=state) if state in WebhookDelivery.State.values else rows


def troubles(collections: Iterable[int]) -> list[Trouble]:
    """Webhooks of these collections that the product switched off, or whose messages were given up.

    It ends when a message arrives, a person switches the webhook on or off, or deletes it.
    """
    rows = WebhookEndpoint.objects.filter(collection__in=list(collections)).select_related("collection")
    rows = rows.annotate(given_up=Count("deliveries", filter=GIVEN_UP))
    switched_off = Q(off_at__isnull=False) & ~Q(off_why="")
    failing = Q(off_at=None, failing_since__isnull=False, given_up__gt=0)
    return [
        Trouble(one, _words(one, one.given_up)) for one in rows.filter(switched_off | failing).order_by("pk")
    ]


def signed_with_two(endpoint: WebhookEndpoint) -> datetime | None:
    """Until when its messages are signed with the secret before, too; None when they are not."""
    until = endpoint.previous_until
    return until if until is not None and until > clock.now() else None


def _words(endpoint: WebhookEndpoint, given_up: int) -> str:
    if endpoint.off_at is not None:
        return f"the webhook at {host_of(endpoint)} was switched off. {endpoint.off_why}"
    many = "message was" if given_up == 1 else "messages were"
    return f"nothing arrives at the webhook at {host_of(endpoint)}: {given_up} {many} given up"
