"""Outgoing messages. They are stored in the transaction that causes them, and sent later by the scheduler.

A message is sent at least once: ``due_at`` is postponed before each attempt, so that the message is retried after a
crash. A failed message is retried for about 17 hours. Then it is abandoned: its text, which can contain a password
link, is removed, and its last error is kept.
"""

import http.client
import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.core.mail import EmailMessage

from marketplace.models import Outgoing

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 10
_FIRST_WAIT = timedelta(minutes=2)
_BATCH = 50
_QUEUE_TIMEOUT_SECONDS = 10
_QUEUE_API = "2012-11-05"


class NotTaken(Exception):
    """The receiver did not accept the message."""


def write_mail(to: str, subject: str, body: str, now: datetime) -> None:
    """Queue an e-mail, to be sent after the surrounding transaction commits. Does nothing without a mail server."""
    if settings.MAIL:
        subject = " ".join(subject.split())[:200]
        _queue_message(Outgoing.Transport.MAIL, to, subject, body, now)


def queue_event(transport: str, destination: str, body: str, now: datetime) -> None:
    """Queue an event for a requester, by ``Email`` or ``SQS``."""
    if transport == "Email":
        write_mail(destination, "Notification from the marketplace", body, now)
    else:
        _queue_message(Outgoing.Transport.QUEUE, destination, "", body, now)


def _queue_message(
    transport: Outgoing.Transport, destination: str, subject: str, body: str, now: datetime
) -> None:
    Outgoing.objects.create(
        transport=transport, destination=destination, subject=subject, body=body, made_at=now, due_at=now
    )


def send_due_messages(now: datetime) -> int:
    """Try to send the 50 messages that have been due longest; returns how many were sent."""
    sent = 0
    for message in Outgoing.objects.filter(due_at__lte=now).order_by("due_at")[:_BATCH]:
        sent += _send_outgoing(message, now)
    return sent


def _send_outgoing(message: Outgoing, now: datetime) -> bool:
    attempts = message.attempts + 1
    again = now + _FIRST_WAIT * 2**message.attempts if attempts < MOST_ATTEMPTS else None
    mine = Outgoing.objects.filter(pk=message.pk, due_at=message.due_at)
    if not mine.update(due_at=now + _FIRST_WAIT, attempts=attempts):
        return False  # another process is sending it
    row = Outgoing.objects.filter(pk=message.pk)
    try:
        _SENDERS[message.transport](message)
    except Exception as error:  # any error of a mail server or queue: continue with the other messages
        logger.warning("A message by %s was not sent (attempt %d): %s", message.transport, attempts, error)
        row.update(due_at=again, error=str(error)[:1000], body=message.body if again else "")
        return False
    row.update(due_at=None, sent_at=now, body="", error="")
    return True


def _send_mail(message: Outgoing) -> None:
    EmailMessage(message.subject, message.body, to=[message.destination]).send()


def _post_to_queue(message: Outgoing) -> None:
    """Post SQS's SendMessage, unsigned, to a queue on a host that the settings allow."""
    parts = urlsplit(message.destination)
    if parts.netloc not in settings.QUEUE_HOSTS:
        raise NotTaken(f"{parts.netloc} is not in MARKETPLACE_QUEUE_HOSTS.")
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=_QUEUE_TIMEOUT_SECONDS)
    try:
        form = {"Action": "SendMessage", "Version": _QUEUE_API, "MessageBody": message.body}
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", parts.path or "/", urlencode(form), headers)
        status = connection.getresponse().status
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise NotTaken(f"The queue returned status {status}.")


_SENDERS: Mapping[str, Callable[[Outgoing], None]] = {
    Outgoing.Transport.MAIL: _send_mail,
    Outgoing.Transport.QUEUE: _post_to_queue,
}
