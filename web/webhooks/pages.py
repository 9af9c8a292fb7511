"""Webhooks as their page and the API show them, and their problems."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404

from config import clock
from config.plurals import many
from pooling.models import Collection
from web.models import WebhookDelivery, WebhookEndpoint
from web.webhooks.endpoints import host_of

GIVEN_UP = Q(deliveries__state=WebhookDelivery.State.GIVEN_UP)
WAITING = Q(deliveries__state=WebhookDelivery.State.WAITING)


@dataclass(frozen=True)
class Trouble:
    """A webhook with a problem that needs a person."""

    endpoint: WebhookEndpoint
    words: str


def webhooks_of(collection: Collection) -> QuerySet[WebhookEndpoint]:
    """Return the collection's webhooks, each with its numbers of waiting and abandoned messages."""
    rows = WebhookEndpoint.objects.filter(collection=collection).select_related("kept_by", "collection")
    return rows.annotate(
        waiting=Count("deliveries", filter=WAITING), given_up=Count("deliveries", filter=GIVEN_UP)
    ).order_by("pk")


def webhook_or_404(collection: Collection, key: int) -> WebhookEndpoint:
    """Return one of the collection's webhooks as ``webhooks_of`` does. Raises Http404."""
    return get_object_or_404(webhooks_of(collection), pk=key)


def deliveries_of(endpoint: WebhookEndpoint, state: str = "") -> QuerySet[WebhookDelivery]:
    """Return the webhook's messages, newest first, filtered by state if one is given."""
    rows = WebhookDelivery.objects.filter(endpoint=endpoint).order_by("-pk")
    return rows.filter(state=state) if state in WebhookDelivery.State.values else rows


def troubles(collections: Iterable[int]) -> list[Trouble]:
    """Return these collections' webhooks that were switched off automatically or have abandoned messages.

    A webhook leaves the list when a message arrives, or when a person switches it on or off or deletes it.
    """
    rows = WebhookEndpoint.objects.filter(collection__in=list(collections)).select_related("collection")
    rows = rows.annotate(given_up=Count("deliveries", filter=GIVEN_UP))
    switched_off = Q(off_at__isnull=False) & ~Q(off_why="")
    failing = Q(off_at=None, failing_since__isnull=False, given_up__gt=0)
    return [Trouble(one, _trouble_words(one)) for one in rows.filter(switched_off | failing).order_by("pk")]


def signed_with_two(endpoint: WebhookEndpoint) -> datetime | None:
    """Return until when messages are also signed with the previous secret; None if they are not."""
    until = endpoint.previous_until
    return until if until is not None and until > clock.now() else None


def _trouble_words(endpoint: WebhookEndpoint) -> str:
    if endpoint.off_at is not None:
        return f"the webhook at {host_of(endpoint)} was switched off. {endpoint.off_why}"
    given_up = many(endpoint.given_up, "message was", "messages were")  # type: ignore[attr-defined]
    return f"no message arrives at the webhook at {host_of(endpoint)}: {given_up} given up"
