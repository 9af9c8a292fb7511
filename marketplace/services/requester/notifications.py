"""Operations on notifications: where the events of a HIT type are sent."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from marketplace.errors import ParameterValidationError, RequestError
from marketplace.models import HitType
from marketplace.services import events
from marketplace.services.call import Call
from marketplace.services.requester import hits

_VERSIONS = {"2006-05-05", "2014-08-15"}
_MOST_DESTINATION = 1000


def update_notification_settings(call: Call) -> dict[str, Any]:
    """Set where the events of a HIT type are sent, or turn sending on or off (Active alone)."""
    kind = hits.find_type(call)
    active = call.request.get("Active")
    if "Notification" in call.request:
        wanted = _notification_fields(call.request["Notification"])
        if "Ping" in wanted["events"]:
            raise ParameterValidationError(
                "EventTypes", "Ping", "Ping can only be used with SendTestEventNotification."
            )
        wanted["active"] = True if active is None else active
    elif active is None:
        raise ParameterValidationError("Notification", "", "Pass Notification or Active.")
    elif kind.notification is None:
        raise ParameterValidationError("Active", active, "This HIT type has no notification yet.")
    else:
        wanted = {**kind.notification, "active": active}
    HitType.objects.filter(pk=kind.pk).update(notification=wanted)
    return {}


def send_test_event_notification(call: Call) -> dict[str, Any]:
    """Queue a made-up event for the given destination."""
    wanted = _notification_fields(call.request["Notification"])
    happened = events.test_event(call.request["TestEventType"], call.now)
    events.write_event(wanted["transport"], wanted["destination"], str(call.requester.pk), happened, call.now)
    return {}


def _notification_fields(notification: dict[str, Any]) -> dict[str, Any]:
    if notification["Version"] not in _VERSIONS:
        reason = f"It must be {' or '.join(sorted(_VERSIONS))}."
        raise ParameterValidationError("Version", notification["Version"], reason)
    if not notification["EventTypes"]:
        raise ParameterValidationError("EventTypes", "[]", "Name at least one event.")
    transport, destination = notification["Transport"], notification["Destination"]
    reason = _transport_fault(transport, destination)
    if reason:
        raise RequestError(
            "InvalidTransportEndpoint", f"{transport} cannot be sent to {destination!r}: {reason}"
        )
    return {
        "transport": transport,
        "destination": destination,
        "events": sorted(set(notification["EventTypes"])),
    }


def _transport_fault(transport: str, destination: str) -> str:
    """Return the reason why nothing can be sent to the destination, or an empty string."""
    if len(destination) > _MOST_DESTINATION:
        return "it is too long."
    if transport == "Email":
        try:
            validate_email(destination)
        except ValidationError:
            return "it is not an e-mail address."
        return "" if settings.MAIL else "this marketplace has no mail server (MARKETPLACE_EMAIL_URL)."
    if transport == "SQS":
        try:
            parts = urlsplit(destination)
        except ValueError:
            return "it is not the address of a queue."
        if parts.scheme not in ("http", "https") or parts.query or parts.fragment:
            return "it is not the address of a queue."
        allowed = parts.netloc in settings.QUEUE_HOSTS
        return "" if allowed else "its host is not one of MARKETPLACE_QUEUE_HOSTS."
    return "this marketplace does not support SNS; use SQS or Email."
