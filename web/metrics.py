"""Metrics of webhooks. No address is exposed."""

from collections.abc import Iterator

from django.db.models import Count

from config.background import events
from config.monitoring.metrics import State, state_reader
from web.models import WebhookDelivery, WebhookEndpoint


@state_reader
def webhook_metrics() -> Iterator[State]:
    """Yield messages by state, undelivered events, and webhooks that were switched off automatically."""
    rows = WebhookDelivery.objects.values_list("state").annotate(number=Count("pk")).order_by()
    counts = dict(rows)
    yield State(
        "preferee_webhook_messages",
        "Stored webhook messages, by state.",
        ("state",),
        {(str(state),): counts.get(state, 0) for state in WebhookDelivery.State},
    )
    yield State(
        "preferee_untold_events",
        "Events without webhook messages yet.",
        values={(): events.undelivered_events().count()},
    )
    off = WebhookEndpoint.objects.exclude(off_at=None).exclude(off_why="").count()
    yield State(
        "preferee_webhooks_switched_off", "Webhooks that were switched off automatically.", values={(): off}
    )
