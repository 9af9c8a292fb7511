"""Messages to a real receiver: signed, sent once if possible, retried if necessary, but not forever."""

import base64
import hashlib
import hmac
import json
import random
import runpy
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.db import connection

from config import clock
from config.background import events
from config.background.followed_jobs import work_off_what_is_due
from config.background.models import Event, Job
from config.background.services import start_if_wanted
from judging.launch.closure import close, finish_closing
from judging.models import Campaign
from pooling.models import CollectionChange, Membership
from tests.web.webhooks.conftest import later, send
from web.home.attention import needs_of
from web.models import WebhookDelivery, WebhookEndpoint
from web.webhooks import delivery as delivering, endpoints
from web.webhooks.event_messages import KINDS
from web.webhooks.retries import TRIES, shortest_wait
from web.webhooks.webhook_signature import new_webhook_secret

pytestmark = pytest.mark.django_db
EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "receive_webhook.py"


def verified(got, secret: str) -> dict:
    """Verify a message by the specification, without our code; returns the body as JSON."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    said = f"{got.headers['webhook-id']}.{got.headers['webhook-timestamp']}.".encode() + got.body
    expected = "v1," + base64.b64encode(hmac.new(key, said, hashlib.sha256).digest()).decode()
    assert expected in got.headers["webhook-signature"].split(" ")
    assert abs(int(got.headers["webhook-timestamp"]) - clock.now().timestamp()) < 300
    return json.loads(got.body)


def only(hook) -> WebhookDelivery:
    return WebhookDelivery.objects.get(endpoint=hook)


def test_a_published_version_is_sent_signed_with_links_and_no_texts(harbour, hook, receiver):
    harbour.publish()

    arrived = send(hook)

    (got,) = receiver.got
    told = verified(got, hook.plain)
    site = "http://127.0.0.1:8410"
    assert arrived == 1
    assert (got.path, got.headers["content-type"]) == ("/hook?k=v", "application/json")
    assert (told["type"], told["data"]["version"], told["data"]["simulated"]) == (
        "version.published",
        1,
        False,
    )
    assert told["data"]["url"] == f"{site}/collections/harbour/versions/1/"
    assert told["data"]["qrels_url"] == f"{site}/api/v1/collections/harbour/versions/1/qrels"
    assert told["data"]["campaign"] == {"name": "spring", "url": f"{site}/campaigns/spring/"}
    assert b"text of" not in got.body
    assert b"what is q1" not in got.body
    assert (only(hook).state, only(hook).reply_code) == ("delivered", 204)


def test_the_documented_receiver_accepts_it_and_refuses_altered_messages(harbour, hook, receiver):
    verify = runpy.run_path(str(EXAMPLE))["verify"]
    harbour.publish()
    send(hook)
    (got,) = receiver.got

    assert verify(hook.plain, got.headers, got.body) == only(hook).message_id
    for secret, body, at in (
        (new_webhook_secret(), got.body, None),
        (hook.plain, got.body + b" ", None),
        (hook.plain, got.body, "1614265330"),
    ):
        with pytest.raises(ValueError):
            verify(secret, got.headers | ({"webhook-timestamp": at} if at else {}), body)


def test_a_failed_message_is_retried_under_the_same_id(harbour, hook, receiver):
    receiver.replies = [500]
    harbour.publish()

    first = send(hook)
    at_once = send(hook)
    refused = only(hook)
    with later(seconds=15):
        again = send(hook)

    assert (first, at_once, again) == (0, 0, 1)
    assert (refused.state, refused.reply_code, refused.problem) == ("waiting", 500, "It answered 500.")
    assert len(receiver.got) == 2
    assert len(set(receiver.ids)) == 1
    assert receiver.got[0].body == receiver.got[1].body
    assert [verified(got, hook.plain)["type"] for got in receiver.got] == ["version.published"] * 2
    assert (only(hook).state, only(hook).tries, only(hook).problem) == ("delivered", 2, "")


@pytest.mark.parametrize("way", ["hang", "drip"])
def test_a_slow_receiver_is_cut_off(harbour, hook, receiver, settings, way):
    settings.WEBHOOK_TIMEOUT_SECONDS = 0.3
    receiver.replies = [way]
    harbour.publish()

    send(hook)

    assert only(hook).problem == "No answer within 0.3 seconds."
    assert only(hook).reply_code is None
    assert only(hook).state == "waiting"


def test_redirects_are_not_followed(harbour, hook, receiver):
    receiver.replies = [302]
    harbour.publish()

    send(hook)

    assert [got.path for got in receiver.got] == ["/hook?k=v"]
    assert only(hook).problem == "It answered 302: redirects are not followed."


def test_a_process_killed_while_sending_loses_nothing(harbour, hook, receiver, monkeypatch):
    harbour.publish()
    delivering.write_messages()
    monkeypatch.setattr(delivering, "post", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        delivering.deliver_due(hook.pk, rng=random.Random(1))
    monkeypatch.undo()

    at_once = send(hook)
    with later(seconds=15):
        send(hook)

    assert at_once == 0
    assert len(receiver.got) == 1
    assert (only(hook).state, only(hook).tries) == ("delivered", 2)


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_senders_send_one_message(harbour, hook, receiver):
    harbour.publish()
    both = threading.Barrier(2)

    def work() -> None:
        both.wait()
        send(hook)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(receiver.got) == 1
    assert only(hook).tries == 1


@pytest.mark.django_db(transaction=True)
def test_the_schedule_sends_through_jobs_and_makes_none_when_there_is_nothing(harbour, hook, receiver):
    assert start_if_wanted("web.webhooks") is None

    harbour.publish()
    start_if_wanted("web.webhooks")
    work_off_what_is_due()

    assert len(receiver.got) == 1
    assert start_if_wanted("web.webhooks") is None
    assert {job.state for job in Job.objects.filter(kind__startswith="web.")} == {"done"}


def test_an_event_is_deleted_with_its_object(harbour, hook, monkeypatch):
    recorded = events.record_event

    def record_and_fail(*args, **named):
        recorded(*args, **named)
        raise OSError("the disk is full")

    monkeypatch.setattr(events, "record_event", record_and_fail)
    with pytest.raises(OSError, match="full"):
        harbour.publish()

    assert not Event.objects.exists()


def test_a_closed_campaign_is_reported_once(harbour, hook, receiver):
    Campaign.objects.filter(name="spring").update(launched_at=clock.now(), state="closing")
    harbour.campaign.refresh_from_db()
    finish_closing(harbour.campaign)
    finish_closing(harbour.campaign)
    send(hook)

    (got,) = receiver.got
    told = verified(got, hook.plain)["data"]
    assert told["campaign"]["name"] == "spring"
    assert (told["judgments"], told["tasks"], told["tasks_done"]) == (7, 0, 0)


def test_a_closed_draft_is_not_a_finished_campaign(harbour):
    close(harbour.campaign, who="owner")

    assert not Event.objects.filter(kind="campaign.finished").exists()


def test_an_address_gets_only_subscribed_events(harbour, hook, receiver, owner):
    endpoints.choose_events(endpoint=hook, events=["campaign.finished"], user=owner)

    harbour.publish()
    send(hook)

    assert receiver.got == []
    assert not events.undelivered_events().exists()


def test_after_a_day_of_failures_a_message_is_given_up_and_reported(harbour, hook, receiver, owner):
    receiver.replies = [500] * TRIES
    harbour.publish()
    waited = timedelta(0)
    for number in range(1, TRIES + 1):
        with clock.shifted(waited):
            send(hook)
            waiting = only(hook)
        if number < TRIES:
            step = waiting.next_try_at - waiting.last_tried_at
            assert shortest_wait(number) <= step <= 1.25 * shortest_wait(number)
            waited += step

    assert timedelta(hours=19) < waited < timedelta(hours=25)
    assert (only(hook).state, only(hook).tries, len(receiver.got)) == ("given up", TRIES, TRIES)
    assert len(set(receiver.ids)) == 1
    (need,) = needs_of(owner, [])
    assert (
        need.words
        == f"no message arrives at the webhook at {endpoints.host_of(hook)}: 1 message was given up"
    )
    assert WebhookEndpoint.objects.get().off_at is None


def test_days_of_failures_switch_a_webhook_off(harbour, hook, receiver, owner):
    receiver.replies = [500]
    WebhookEndpoint.objects.update(failing_since=clock.now() - timedelta(days=3))
    harbour.publish()
    delivering.write_messages()
    WebhookDelivery.objects.update(tries=TRIES - 1)

    send(hook)

    hook.refresh_from_db()
    assert hook.off_why == "Nothing has arrived there for 3 days."
    assert "was switched off" in needs_of(owner, [])[0].words
    assert CollectionChange.objects.filter(what__contains="switched off: Nothing has arrived").exists()


def test_a_webhook_that_answers_410_is_switched_off_at_once(harbour, hook, receiver):
    receiver.replies = [410]
    harbour.publish()

    send(hook)
    harbour.add_queries(1)
    harbour.publish()
    send(hook)

    hook.refresh_from_db()
    assert "410" in hook.off_why
    assert (only(hook).state, len(receiver.got)) == ("given up", 1)


def test_a_failure_leaves_the_rest_for_the_next_time(harbour, hook, receiver):
    """Otherwise, an address that does not answer would block a worker for every message."""
    receiver.replies = [500]
    harbour.publish()
    harbour.add_queries(1)
    harbour.publish()

    first, second = send(hook), send(hook)

    assert (first, second) == (0, 1)


def test_during_a_rotation_both_secrets_sign(harbour, hook, receiver, owner):
    new = endpoints.rotate_secret(endpoint=hook, user=owner).secret
    harbour.publish()
    send(hook)
    with later(hours=25):
        harbour.add_queries(1)
        harbour.publish()
        send(hook)
        verified(receiver.got[1], new)

    verified(receiver.got[0], hook.plain)
    verified(receiver.got[0], new)
    assert len(receiver.got[1].headers["webhook-signature"].split(" ")) == 1
    assert new not in str(WebhookEndpoint.objects.values().get())


def test_a_leaked_secret_ends_at_once(harbour, hook, receiver, owner):
    new = endpoints.rotate_secret(endpoint=hook, user=owner, overlap=timedelta(0)).secret
    harbour.publish()

    send(hook)

    verified(receiver.got[0], new)
    with pytest.raises(AssertionError):
        verified(receiver.got[0], hook.plain)


def test_without_the_key_of_the_installation_it_is_switched_off_until_there_is_a_new_secret(
    harbour, hook, receiver, owner, settings
):
    harbour.publish()
    settings.SECRET_KEY = "another"

    send(hook)
    hook.refresh_from_db()
    why = hook.off_why
    new = endpoints.rotate_secret(endpoint=hook, user=owner).secret
    endpoints.switch_on(endpoint=hook, user=owner)
    send(hook)

    assert "cannot be read" in why
    verified(receiver.got[0], new)


def test_former_owners_get_no_messages(harbour, hook, receiver, owner):
    harbour.publish()
    delivering.write_messages()
    Membership.objects.filter(user=owner).update(role="viewer")

    send(hook)
    hook.refresh_from_db()
    other = get_user_model().objects.create_user("other")
    Membership.objects.create(collection=harbour.collection, user=other, role="owner")
    why, told_before = hook.off_why, len(receiver.got)
    endpoints.switch_on(endpoint=hook, user=other)
    send(hook)

    assert why.startswith("owner no longer owns the collection.")
    assert (told_before, len(receiver.got)) == (0, 1)


def test_events_during_a_switched_off_period_are_never_sent(harbour, hook, receiver, owner):
    endpoints.switch_off(endpoint=hook, user=owner)
    harbour.publish()
    send(hook)

    endpoints.switch_on(endpoint=hook, user=owner)
    send(hook)

    assert receiver.got == []


def test_old_messages_and_events_are_deleted(harbour, hook, receiver, settings):
    settings.KEEP_DELIVERIES_DAYS = 30
    harbour.publish()
    send(hook)
    receiver.replies = [500]
    harbour.add_queries(1)
    harbour.publish()
    send(hook)

    early = delivering.forget_old_deliveries()
    with later(days=31):
        deleted = delivering.forget_old_deliveries()

    assert (early, deleted) == (0, 3)  # a message and both events; the other message still waits
    assert only(hook).state == "waiting"


def test_every_kind_is_recorded_by_its_room():
    assert list(KINDS) == ["run.checked", "campaign.finished", "version.published"]
