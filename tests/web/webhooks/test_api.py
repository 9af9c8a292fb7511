"""The API calls about webhooks."""

import json

import pytest

from accounts.services.tokens import make_token
from tests.web.webhooks.conftest import later, send
from web.models import WebhookDelivery

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
ALL = "/api/v1/collections/harbour/webhooks"


@pytest.fixture
def call(client, owner):
    """Return a function that calls as the owner and returns the status and the response."""
    token = make_token(user=owner, name="t", scopes=["read", "webhooks"], days=1)[1]

    def called(method: str, address: str, body: dict | None = None):
        more = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
        headers = {"Authorization": f"Bearer {token}"}
        reply = getattr(client, method)(f"{ALL}{address}", headers=headers, **more)
        return reply.status_code, reply.json() if reply.content else None

    return called


def test_a_webhook_from_its_registration_to_its_end(call, receiver, harbour):
    status, made = call("post", "", {"address": receiver.address, "events": ["version.published"]})
    one = f"/{made['id']}"
    _, listed = call("get", "")
    _, tested = call("post", f"{one}/test", {})
    hook = WebhookDelivery.objects.get().endpoint
    receiver.replies = [503]
    send(hook)
    _, waiting = call("get", f"{one}/deliveries?state=waiting")
    with later(seconds=15):
        send(hook)
    _, delivered = call("get", f"{one}/deliveries?state=delivered")
    with later(seconds=30):
        again, _ = call("post", f"{one}/deliveries/{tested['id']}/again", {})
        send(hook)
    _, rotated = call("post", f"{one}/rotate", {"overlap_hours": 1})
    _, off = call("patch", one, {"on": False, "events": ["run.checked"]})
    refused, why = call("post", f"{one}/test", {})
    gone, nothing = call("delete", one)

    assert (status, made["on"]) == (201, True)
    assert made["secret"].startswith("whsec_")
    assert "secret" not in listed[0]
    assert [row["problem"] for row in waiting["deliveries"]] == ["It answered 503."]
    assert delivered["deliveries"][0]["message_id"] == tested["message_id"]
    assert json.loads(delivered["deliveries"][0]["body"])["type"] == "webhook.test"
    assert again == 202
    assert set(receiver.ids) == {tested["message_id"]}
    assert rotated["secret"] != made["secret"]
    assert rotated["two_secrets_until"] is not None
    assert (off["on"], off["events"], off["off_why"]) == (False, ["run.checked"], "")
    assert (refused, why["next_step"]) == (409, "Switch it on first.")
    assert (gone, nothing) == (204, None)


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ({"address": "https://10.0.0.1/", "events": ["run.checked"]}, 422, "not public"),
        ({"address": "http://93.184.216.34/", "events": ["run.checked"]}, 422, "https://"),
        ({"address": "https://93.184.216.34/", "events": []}, 422, "parameters"),
        ({"address": "https://93.184.216.34/", "events": ["webhook.test"]}, 422, "parameters"),
    ],
)
def test_invalid_webhooks_are_refused(call, body, status, reason):
    found, problem = call("post", "", body)

    assert found == status
    assert reason in problem["detail"]


def test_the_same_address_twice_is_a_conflict(call, hook):
    assert call("post", "", {"address": hook.address, "events": ["run.checked"]})[0] == 409


def test_a_message_of_another_webhook_is_not_found(call, hook, harbour):
    other = call("post", "", {"address": f"{hook.address}2", "events": ["run.checked"]})[1]
    _, tested = call("post", f"/{hook.pk}/test", {})

    assert call("post", f"/{other['id']}/deliveries/{tested['id']}/again", {})[0] == 404
