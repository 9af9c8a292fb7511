from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Router, Schema, Status

from accounts.models import ApiToken
from web.api.bodies import Body
from web.api.callers import collection_to_change, reader
from web.api.works import Text
from web.common.access import collection_for
from web.models import WebhookDelivery, WebhookEndpoint
from web.webhooks import endpoints, pages as listing
from web.webhooks.jobs import ring_for_webhook

router = Router()
Kind = Literal["run.checked", "campaign.finished", "version.published"]
Kinds = Annotated[list[Kind], Field(min_length=1, max_length=3)]
NAMES = ("address", "events", "created_at", "off_at", "off_why", "failing_since", "last_success_at")


class WebhookOut(Schema):
    """A webhook. ``on``: whether it receives events. ``off_why`` is empty if a person switched it off."""

    id: int
    address: str
    events: list[str]
    on: bool
    off_at: datetime | None
    off_why: str
    failing_since: datetime | None
    last_success_at: datetime | None
    two_secrets_until: datetime | None
    waiting: int
    given_up: int
    created_at: datetime


class WebhookMade(WebhookOut):
    """A webhook with its secret, which is returned only once."""

    secret: str


class WebhookIn(Body):
    """The address, and the kinds of event to send."""

    address: Annotated[Text, Field(min_length=1, max_length=500)]
    events: Kinds


class WebhookChange(Body):
    """Changes to a webhook; omitted fields stay the same."""

    events: Kinds | None = None
    on: bool | None = None


class RotateIn(Body):
    """The number of hours during which both secrets sign messages; with 0, the old secret ends at once."""

    overlap_hours: Annotated[float, Field(ge=0, le=24 * 7)] = 24


class DeliveryOut(Schema):
    """One message, and the result of the last attempt."""

    id: int
    message_id: str
    kind: str
    state: str
    tries: int
    next_try_at: datetime | None
    last_tried_at: datetime | None
    reply_code: int | None
    problem: str
    seconds: float | None
    created_at: datetime
    body: str


class DeliveryPage(Schema):
    """A page of messages, newest first; ``count`` is the number of all matches."""

    count: int
    deliveries: list[DeliveryOut]


@router.get("/collections/{name}/webhooks", response=list[WebhookOut], summary="List webhooks (owners)")
def list_webhooks(request: HttpRequest, name: str) -> list[dict[str, Any]]:
    found = collection_for(reader(request), name, endpoints.MANAGE)
    return [_webhook_out(one) for one in listing.webhooks_of(found)]


@router.post(
    "/collections/{name}/webhooks",
    response={201: WebhookMade},
    summary="Create a webhook; the response has its secret",
)
def register(
    request: HttpRequest, name: str, asked: WebhookIn, response: HttpResponse
) -> Status[dict[str, Any]]:
    user, found = collection_to_change(request, name, endpoints.MANAGE, ApiToken.Scope.WEBHOOKS)
    made = endpoints.register_endpoint(
        collection=found, address=asked.address, events=asked.events, user=user
    )
    response["Cache-Control"] = "no-store"
    return Status(
        201, _webhook_out(listing.webhook_or_404(found, made.endpoint.pk)) | {"secret": made.secret}
    )


@router.get("/collections/{name}/webhooks/{int:key}", response=WebhookOut, summary="Get a webhook")
def read_webhook(request: HttpRequest, name: str, key: int) -> dict[str, Any]:
    return _webhook_out(listing.webhook_or_404(collection_for(reader(request), name, endpoints.MANAGE), key))


@router.patch(
    "/collections/{name}/webhooks/{int:key}",
    response=WebhookOut,
    summary="Switch a webhook on or off, or change its events",
)
def change(request: HttpRequest, name: str, key: int, asked: WebhookChange) -> dict[str, Any]:
    user, endpoint = _webhook_to_change(request, name, key)
    if asked.events is not None:
        endpoints.choose_events(endpoint=endpoint, events=asked.events, user=user)
    if asked.on is not None:
        (endpoints.switch_on if asked.on else endpoints.switch_off)(endpoint=endpoint, user=user)
    return _webhook_out(listing.webhook_or_404(endpoint.collection, key))


@router.delete("/collections/{name}/webhooks/{int:key}", response={204: None}, summary="Delete a webhook")
def delete_webhook(request: HttpRequest, name: str, key: int) -> Status[None]:
    user, endpoint = _webhook_to_change(request, name, key)
    endpoints.remove_endpoint(endpoint=endpoint, user=user)
    return Status(204, None)


@router.post(
    "/collections/{name}/webhooks/{int:key}/rotate",
    response=WebhookMade,
    summary="Rotate the secret; the response has the new secret",
)
def rotate(
    request: HttpRequest, name: str, key: int, asked: RotateIn, response: HttpResponse
) -> dict[str, Any]:
    user, endpoint = _webhook_to_change(request, name, key)
    overlap = timedelta(hours=asked.overlap_hours)
    made = endpoints.rotate_secret(endpoint=endpoint, user=user, overlap=overlap)
    response["Cache-Control"] = "no-store"
    return _webhook_out(listing.webhook_or_404(endpoint.collection, key)) | {"secret": made.secret}


@router.post(
    "/collections/{name}/webhooks/{int:key}/test",
    response={202: DeliveryOut},
    summary="Send a test message",
)
def test(request: HttpRequest, name: str, key: int) -> Status[WebhookDelivery]:
    _, endpoint = _webhook_to_change(request, name, key)
    sent = endpoints.send_test(endpoint=endpoint)
    ring_for_webhook(endpoint.pk)
    return Status(202, sent)


@router.get(
    "/collections/{name}/webhooks/{int:key}/deliveries",
    response=DeliveryPage,
    summary="List messages, newest first",
)
def list_deliveries(
    request: HttpRequest,
    name: str,
    key: int,
    state: Literal["", "waiting", "delivered", "given up"] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> dict[str, Any]:
    rows = listing.deliveries_of(
        listing.webhook_or_404(collection_for(reader(request), name, endpoints.MANAGE), key), state
    )
    return {"count": rows.count(), "deliveries": list(rows[offset : offset + limit])}


@router.post(
    "/collections/{name}/webhooks/{int:key}/deliveries/{int:message}/again",
    response={202: DeliveryOut},
    summary="Send a message again, with the same id",
)
def send_again(request: HttpRequest, name: str, key: int, message: int) -> Status[WebhookDelivery]:
    _, endpoint = _webhook_to_change(request, name, key)
    rows = WebhookDelivery.objects.select_related("endpoint")
    delivery = get_object_or_404(rows, endpoint=endpoint, pk=message)
    endpoints.resend(delivery=delivery)
    ring_for_webhook(endpoint.pk)
    return Status(202, delivery)


def _webhook_to_change(request: HttpRequest, name: str, key: int) -> tuple[Any, WebhookEndpoint]:
    user, found = collection_to_change(request, name, endpoints.MANAGE, ApiToken.Scope.WEBHOOKS)
    return user, listing.webhook_or_404(found, key)


def _webhook_out(endpoint: WebhookEndpoint) -> dict[str, Any]:
    return {name: getattr(endpoint, name) for name in NAMES} | {
        "id": endpoint.pk,
        "on": endpoint.off_at is None,
        "two_secrets_until": listing.signed_with_two(endpoint),
        "waiting": endpoint.waiting,  # type: ignore[attr-defined]
        "given_up": endpoint.given_up,  # type: ignore[attr-defined]
    }
