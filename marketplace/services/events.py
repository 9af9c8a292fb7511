"""Events of HITs and assignments, sent to requesters who subscribed to them (UpdateNotificationSettings)."""

import json
import uuid
from datetime import datetime
from typing import Any

from marketplace.models import Assignment, Hit
from marketplace.services import outbox

_DOCUMENT_VERSION = "2014-08-15"


def emit(name: str, hit: Hit, *, at: datetime, assignment: Assignment | None = None) -> None:
    """Queue the event if the HIT's type subscribes to it."""
    wanted = hit.hit_type.notification
    if not wanted or not wanted["active"] or name not in wanted["events"]:
        return
    happened = {
        "EventType": name,
        "EventTimestamp": _event_time(at),
        "HITTypeId": hit.hit_type.type_id,
        "HITId": hit.hit_id,
    }
    if assignment is not None:
        happened["AssignmentId"] = assignment.assignment_id
    write_event(wanted["transport"], wanted["destination"], str(hit.requester_id), happened, at)


def write_event(
    transport: str, destination: str, customer: str, happened: dict[str, Any], at: datetime
) -> None:
    """Queue a message with one event, in MTurk's format."""
    document = {
        "EventDocId": uuid.uuid4().hex,
        "EventDocVersion": _DOCUMENT_VERSION,
        "CustomerId": customer,
        "Events": [happened],
    }
    outbox.queue_event(transport, destination, json.dumps(document), at)


def test_event(name: str, at: datetime) -> dict[str, Any]:
    made_up = uuid.uuid4().hex.upper()[:30]
    happened = {"EventType": name, "EventTimestamp": _event_time(at), "HITTypeId": made_up, "HITId": made_up}
    if name.startswith("Assignment"):
        happened["AssignmentId"] = made_up
    return happened


def _event_time(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
