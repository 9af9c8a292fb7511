"""Events sent by e-mail and to queues."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest
from django.core import mail

from marketplace.models import Outgoing
from marketplace.services import outbox
from marketplace.services.worker import tasks as taking
from tests.marketplace.conftest import NOW, QUESTION, hours, make_hit, refused, work

pytestmark = pytest.mark.django_db
ALL = [
    *(
        f"Assignment{name}"
        for name in ("Accepted", "Abandoned", "Returned", "Submitted", "Rejected", "Approved")
    ),
    *(f"HIT{name}" for name in ("Created", "Expired", "Reviewable", "Extended", "Disposed")),
]


@pytest.fixture(autouse=True)
def _mail(settings):
    settings.MAIL = True


def subscribe(ask, hit_type, events=ALL, *, transport="Email", to="lab@example.org", **more):
    notification = {"Destination": to, "Transport": transport, "Version": "2006-05-05", "EventTypes": events}
    ask("UpdateNotificationSettings", HITTypeId=hit_type, Notification=notification, **more)


def written_event_types():
    """Return the event types written so far, in order."""
    return [json.loads(row.body)["Events"][0]["EventType"] for row in Outgoing.objects.order_by("pk")]


def test_every_event_of_a_hits_life_is_sent(ask, hit_type, ada, grace):
    subscribe(ask, hit_type)
    hit = make_hit(ask, hit_type, LifetimeInSeconds=86400 * 3)
    returned = taking.take_task(ada, hit_type, NOW)
    taking.return_task(ada, returned.assignment_id, NOW)
    taking.take_task(ada, hit_type, NOW)
    ask("GetHIT", HITId=hit, at=NOW + hours(2))
    assignment = work(grace, hit_type, at=NOW + hours(2))
    ask("RejectAssignment", AssignmentId=assignment, RequesterFeedback="f", at=NOW + hours(2))
    ask("ApproveAssignment", AssignmentId=assignment, OverrideRejection=True, at=NOW + hours(2))
    ask("CreateAdditionalAssignmentsForHIT", HITId=hit, NumberOfAdditionalAssignments=1, at=NOW + hours(2))
    ask("UpdateExpirationForHIT", HITId=hit, ExpireAt=NOW, at=NOW + hours(2))
    ask("DeleteHIT", HITId=hit, at=NOW + hours(2))

    assert written_event_types() == [
        "HITCreated",
        "AssignmentAccepted",
        "AssignmentReturned",
        "AssignmentAccepted",
        "AssignmentAbandoned",
        "AssignmentAccepted",
        "AssignmentSubmitted",
        "HITReviewable",
        "AssignmentRejected",
        "AssignmentApproved",
        "HITExtended",
        "HITExpired",
        "HITReviewable",
        "HITDisposed",
    ]


def test_the_expiry_of_a_hit_is_sent(ask, hit_type):
    subscribe(ask, hit_type, ["HITExpired", "HITReviewable"])
    make_hit(ask, hit_type, LifetimeInSeconds=3600)

    ask("GetAccountBalance", at=NOW + hours(2))

    assert written_event_types() == ["HITExpired", "HITReviewable"]


def test_a_message_has_the_protocols_shape(ask, hit_type, requester):
    subscribe(ask, hit_type)

    hit = make_hit(ask, hit_type)

    row = Outgoing.objects.get()
    document = json.loads(row.body)
    assert (row.transport, row.destination) == ("mail", "lab@example.org")
    assert document["EventDocId"]
    assert document["Events"] == [
        {
            "EventType": "HITCreated",
            "EventTimestamp": NOW.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "HITTypeId": hit_type,
            "HITId": hit,
        }
    ]


def test_only_subscribed_events_are_sent_and_only_while_active(ask, hit_type):
    subscribe(ask, hit_type, ["HITExtended"])
    hit = make_hit(ask, hit_type)
    assert written_event_types() == []

    ask("UpdateExpirationForHIT", HITId=hit, ExpireAt=NOW + hours(3))
    ask("UpdateNotificationSettings", HITTypeId=hit_type, Active=False)
    ask("UpdateExpirationForHIT", HITId=hit, ExpireAt=NOW + hours(4))
    ask("UpdateNotificationSettings", HITTypeId=hit_type, Active=True)
    ask("UpdateExpirationForHIT", HITId=hit, ExpireAt=NOW + hours(5))

    assert written_event_types() == ["HITExtended", "HITExtended"]


def test_a_failed_call_sends_no_event(ask, hit_type):
    subscribe(ask, hit_type)

    with refused("InsufficientFunds"):
        ask(
            "CreateHITWithHITType",
            HITTypeId=hit_type,
            Question=QUESTION,
            LifetimeInSeconds=60,
            MaxAssignments=100_000,
        )

    assert written_event_types() == []


@pytest.mark.parametrize(
    ("transport", "to"),
    [
        ("Email", "nowhere"),
        ("SQS", "https://queue.example/a"),
        ("SQS", "arn:aws:sqs"),
        ("SNS", "arn:aws:sns:us-east-1:1:topic"),
    ],
)
def test_an_unusable_destination_is_refused_at_once(ask, hit_type, transport, to):
    with refused("InvalidTransportEndpoint"):
        subscribe(ask, hit_type, transport=transport, to=to)


def test_without_a_mail_server_mail_is_refused(ask, hit_type, settings):
    settings.MAIL = False

    with refused("InvalidTransportEndpoint"):
        subscribe(ask, hit_type)


def test_ping_and_nothing_at_all_are_not_settings(ask, hit_type):
    with refused("InvalidParameterValue"):
        subscribe(ask, hit_type, ["Ping"])
    with refused("InvalidParameterValue"):
        ask("UpdateNotificationSettings", HITTypeId=hit_type)
    with refused("InvalidParameterValue"):
        ask("UpdateNotificationSettings", HITTypeId=hit_type, Active=True)
    with refused("HITTypeDoesNotExist"):
        ask("UpdateNotificationSettings", HITTypeId="3NONE", Active=True)


def send_test(ask, *, to, transport="Email", event="Ping"):
    notification = {"Destination": to, "Transport": transport, "Version": "2006-05-05", "EventTypes": [event]}
    ask("SendTestEventNotification", Notification=notification, TestEventType=event)


def test_a_test_event_is_mailed_once(ask):
    send_test(ask, to="lab@example.org")

    assert outbox.send_due_messages(NOW) == 1
    assert outbox.send_due_messages(NOW + hours(1)) == 0
    [sent] = mail.outbox
    assert sent.to == ["lab@example.org"]
    assert json.loads(sent.body)["Events"][0]["EventType"] == "Ping"
    assert Outgoing.objects.get().body == ""


@pytest.fixture
def queue(settings):
    """A queue that stores posted messages; ``queue.status`` is its response."""

    class Taker(BaseHTTPRequestHandler):
        def do_POST(self):
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            server.posted.append((self.path, {name: values[0] for name, values in form.items()}))
            self.send_response(server.status)
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taker)
    server.posted, server.status = [], 200
    server.host = f"127.0.0.1:{server.server_address[1]}"
    settings.QUEUE_HOSTS = [server.host]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_queue_receives_events(ask, queue):
    send_test(ask, to=f"http://{queue.host}/0001/events", transport="SQS", event="AssignmentSubmitted")

    assert outbox.send_due_messages(NOW) == 1

    [(path, form)] = queue.posted
    assert (path, form["Action"]) == ("/0001/events", "SendMessage")
    assert "AssignmentId" in json.loads(form["MessageBody"])["Events"][0]


def test_a_rejected_message_is_retried_and_finally_abandoned(ask, queue):
    send_test(ask, to=f"http://{queue.host}/q", transport="SQS")
    queue.status = 503
    assert outbox.send_due_messages(NOW) == 0
    assert outbox.send_due_messages(NOW) == 0
    assert len(queue.posted) == 1

    at = NOW
    for _ in range(outbox.MOST_ATTEMPTS + 3):
        at += hours(48)
        outbox.send_due_messages(at)

    assert len(queue.posted) == outbox.MOST_ATTEMPTS
    row = Outgoing.objects.get()
    assert (row.due_at, row.sent_at, row.body) == (None, None, "")
    assert "503" in row.error


def test_a_host_that_is_not_allowed_any_more_gets_nothing(ask, queue, settings):
    send_test(ask, to=f"http://{queue.host}/q", transport="SQS")
    settings.QUEUE_HOSTS = []

    assert outbox.send_due_messages(NOW) == 0
    assert queue.posted == []
