"""Metrics of webhooks for operators."""

import pytest

from config.monitoring.metrics import exposition
from tests.web.webhooks.conftest import send
from web.models import WebhookEndpoint

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def lines() -> set[str]:
    return set(exposition().decode().splitlines())


def test_messages_events_and_webhooks_are_counted_without_addresses(harbour, hook, receiver):
    harbour.publish()
    before = lines()
    receiver.replies = [410]
    send(hook)
    after = lines()

    assert "preferee_untold_events 1.0" in before
    assert {"preferee_untold_events 0.0", "preferee_webhooks_switched_off 1.0"} <= after
    assert 'preferee_webhook_messages{state="given up"} 1.0' in after
    assert WebhookEndpoint.objects.get().address not in str(after)
