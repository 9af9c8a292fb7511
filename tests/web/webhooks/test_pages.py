"""The pages of webhooks: the secret, shown once; sent messages; items that need attention."""

import json
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from config import clock
from config.background.models import Job
from pooling.models import CollectionChange
from tests.web.webhooks.conftest import later, send
from web.models import WebhookDelivery, WebhookEndpoint

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
ALL = "/collections/harbour/webhooks/"


@pytest.fixture
def page(client, owner):
    client.force_login(owner)
    return client


def text_of(reply) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", reply.content.decode()))


def test_a_webhook_is_registered_and_its_secret_shown_once(page, receiver):
    empty = text_of(page.get(ALL))
    form = {"address": receiver.address, "events": ["run.checked", "version.published"]}

    made = page.post(ALL, form)
    after = page.get(ALL)

    secret = re.search(r"whsec_[A-Za-z0-9+/=]{44}", made.content.decode())
    assert "No webhooks yet" in empty
    assert secret is not None
    assert "no-store" in made["Cache-Control"]
    assert b"whsec_" not in after.content
    assert receiver.address in text_of(after)
    host = receiver.address.removeprefix("http://").rstrip("/")
    assert CollectionChange.objects.filter(what=f"webhook at {host} registered", who="owner").exists()


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"address": "https://127.0.0.1/", "events": ["run.checked"]}, "not public"),
        ({"address": "https://93.184.216.34/", "events": []}, "at least one kind"),
        ({"address": "https://93.184.216.34/", "events": ["webhook.test"]}, "at least one kind"),
        ({"address": "https://nobody.invalid/", "events": ["run.checked"]}, "not found"),
    ],
)
def test_problems_of_a_new_webhook_are_explained(page, form, reason):
    refused = page.post(ALL, form)

    assert refused.status_code == 422
    assert reason in text_of(refused)
    assert form["address"] in refused.content.decode()
    assert not WebhookEndpoint.objects.exists()


def test_an_address_has_one_webhook_and_a_collection_ten(page, hook):
    again = page.post(ALL, {"address": hook.address, "events": ["run.checked"]})
    for number in range(9):
        page.post(ALL, {"address": f"{hook.address}{number}", "events": ["run.checked"]})
    more = page.post(ALL, {"address": f"{hook.address}more", "events": ["run.checked"]})

    assert "already has a webhook with this address" in text_of(again)
    assert "has 10 webhooks" in text_of(more)


def test_a_test_is_sent_and_listed_with_its_body_and_answer(page, hook, receiver):
    address = f"{ALL}{hook.pk}/"
    receiver.replies = [500]

    page.post(f"{address}test")
    rung = Job.objects.filter(kind="web.deliver_webhooks").count()
    send(hook)
    shown = text_of(page.get(address))

    (got,) = receiver.got
    assert json.loads(got.body)["type"] == "webhook.test"
    assert rung == 1
    assert "It answered 500." in shown
    assert "Nothing has arrived since" in shown
    assert got.headers["webhook-id"] in shown
    assert "webhook.test" in text_of(page.get(f"{address}?state=waiting"))
    assert "No message is delivered." in text_of(page.get(f"{address}?state=delivered"))


def test_abandoned_messages_are_sent_again_under_their_id(page, hook, receiver, harbour):
    receiver.replies = [410]
    harbour.publish()
    send(hook)
    sent = WebhookDelivery.objects.get()
    again, home = f"{ALL}{hook.pk}/messages/{sent.pk}/again", "/"

    refused = text_of(page.post(again, follow=True))
    needed = text_of(page.get(home)), text_of(page.get("/collections/harbour/"))
    page.post(f"{ALL}{hook.pk}/on")
    with later(seconds=10):
        page.post(again)
        send(hook)

    assert "switched off. Switch it on first." in refused
    assert all("was switched off. It answered 410" in one for one in needed)
    assert len(receiver.ids) == 2
    assert len(set(receiver.ids)) == 1
    assert "was switched off" not in text_of(page.get(home))


def test_manual_test_messages_are_limited(page, hook):
    tests = [page.post(f"{ALL}{hook.pk}/test", follow=True) for _ in range(11)]

    assert "10 messages were sent to this webhook within a minute" in text_of(tests[-1])
    assert WebhookDelivery.objects.count() == 10


def test_a_new_secret_is_shown_once_and_the_old_one_still_signs(page, hook):
    made = page.post(f"{ALL}{hook.pk}/rotate")
    until = WebhookEndpoint.objects.get().previous_until
    at_once = page.post(f"{ALL}{hook.pk}/rotate", {"at_once": "on"})

    assert b"whsec_" in made.content
    assert "signed with both the new and the previous secret" in text_of(made)
    assert abs(until - clock.now() - timedelta(hours=24)) < timedelta(minutes=1)
    assert "the one before" not in text_of(at_once)
    assert b"whsec_" not in page.get(f"{ALL}{hook.pk}/").content


def test_it_is_switched_off_changed_and_deleted(page, hook):
    page.post(f"{ALL}{hook.pk}/off")
    off = text_of(page.get(f"{ALL}{hook.pk}/"))
    page.post(f"{ALL}{hook.pk}/events", {"events": ["run.checked"]})
    chosen = WebhookEndpoint.objects.get().events
    none = text_of(page.post(f"{ALL}{hook.pk}/events", {}, follow=True))
    gone = text_of(page.post(f"{ALL}{hook.pk}/delete", follow=True))

    assert "by a person" in off
    assert chosen == ["run.checked"]
    assert "at least one kind" in none
    assert "was deleted" in gone
    assert not WebhookEndpoint.objects.exists()
    assert page.get(f"{ALL}{hook.pk}/").status_code == 404


def test_the_webhook_of_another_collection_is_not_there(page, hook):
    WebhookEndpoint.objects.update(collection=_other())

    assert page.get(f"{ALL}{hook.pk}/").status_code == 404
    assert page.post(f"{ALL}{hook.pk}/test").status_code == 404


def _other():
    from tests.factories import make_collection

    return make_collection("other", ["q1"])


def test_many_messages_cost_no_more_queries(page, hook):
    def queries() -> int:
        page.get(f"{ALL}{hook.pk}/")
        with CaptureQueriesContext(connection) as caught:
            assert page.get(f"{ALL}{hook.pk}/").status_code == 200
        return len(caught)

    WebhookDelivery.objects.create(endpoint=hook, message_id="msg_0", kind="run.checked", body="{}")
    few = queries()
    WebhookDelivery.objects.bulk_create(
        WebhookDelivery(endpoint=hook, message_id=f"msg_{number}", kind="run.checked", body="{}")
        for number in range(1, 60)
    )

    assert queries() <= few
    assert "1–50 of 60" in text_of(page.get(f"{ALL}{hook.pk}/"))
