"""The contract on notifications, sent to a queue."""

from tests.contract.endpoint import make_hit, refused


def to_queue(address, *events):
    return {"Destination": address, "Transport": "SQS", "Version": "2006-05-05", "EventTypes": list(events)}


def test_a_test_event_reaches_the_queue(crowd, events):
    address, following = events

    crowd.send_test_event_notification(Notification=to_queue(address, "Ping"), TestEventType="Ping")

    message = following()
    assert [event["EventType"] for event in message["Events"]] == ["Ping"]
    assert message["EventDocId"]


def test_events_of_a_hit_are_sent_while_notifications_are_active(crowd, hit_type, events):
    address, following = events
    crowd.update_notification_settings(HITTypeId=hit_type, Notification=to_queue(address, "HITCreated"))
    told = make_hit(crowd, hit_type)["HITId"]
    assert following()["Events"][0]["HITId"] == told

    crowd.update_notification_settings(HITTypeId=hit_type, Active=False)
    make_hit(crowd, hit_type)
    crowd.update_notification_settings(HITTypeId=hit_type, Active=True)
    last = make_hit(crowd, hit_type)["HITId"]

    assert following()["Events"][0]["HITId"] == last


def test_an_invalid_destination_is_refused(crowd):
    response = refused(
        crowd.send_test_event_notification,
        Notification={
            "Destination": "nowhere",
            "Transport": "Email",
            "Version": "2006-05-05",
            "EventTypes": ["Ping"],
        },
        TestEventType="Ping",
    )

    assert response["Error"]["Code"] in ("RequestError", "ParameterValidationError")
