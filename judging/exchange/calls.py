"""Makes calls that change something at a crowd, so that each takes effect exactly once.

First, an intent row is committed. Then the call is made outside any transaction, with a token made from the intent's
key. Then the reply is recorded. "Already exists" counts as success, and the existing thing is looked up. The crowd
forgets tokens after 24 hours, so older intents are looked up at the crowd before they are tried again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F

from config import clock
from judging.errors import CrowdAlready, CrowdError, CrowdLater, CrowdNever
from judging.models import Campaign, CrowdCall, Payment, Submission

TOKENS_LIVE = timedelta(hours=23)
Reply = dict[str, Any]


def perform(
    *,
    campaign: Campaign,
    operation: str,
    key: str,
    request: Reply,
    act: Callable[[], Reply],
    find: Callable[[CrowdAlready | None], Reply | None],
    since: datetime | None = None,
) -> Reply:
    """Make a call that must take effect exactly once, and return the recorded reply.

    ``act`` makes the call. ``find`` looks the effect up at the crowd (given the crowd's "already" error, if any) and
    returns the reply to record, or None. Raises the CrowdError that stopped the call. A permanently refused call is
    not repeated until a person asks for it (:func:`allow_retries`). ``since`` is the time from which the call may
    have been made without a record of it, for instance in a database restored from an older backup.
    """
    intent, _ = CrowdCall.objects.get_or_create(
        key=key, defaults={"campaign": campaign, "operation": operation, "request": request}
    )
    if intent.state == CrowdCall.State.DONE:
        return dict(intent.reply or {})
    if intent.state == CrowdCall.State.FAILED:
        raise CrowdNever(intent.error_message, intent.next_step)
    first = intent.first_tried_at or since
    token_forgotten = first and clock.now() - first > TOKENS_LIVE
    if token_forgotten and (found := find(None)):
        return _record_reply(intent, found)
    now = clock.now()
    CrowdCall.objects.filter(pk=intent.pk).update(
        attempts=F("attempts") + 1, first_tried_at=intent.first_tried_at or now, last_tried_at=now
    )
    try:
        return _record_reply(intent, act())
    except CrowdAlready as already:
        if found := find(already):
            return _record_reply(intent, found)
        error: CrowdError = CrowdLater(
            f"The crowd has already done this but does not list it yet: {already.message}"
        )
    except CrowdError as stopped:
        error = stopped
    _record_failure(intent, error)
    raise error


def _record_reply(intent: CrowdCall, reply: Reply) -> Reply:
    CrowdCall.objects.filter(pk=intent.pk).exclude(state=CrowdCall.State.DONE).update(
        state=CrowdCall.State.DONE,
        reply=reply,
        done_at=clock.now(),
        error_class="",
        error_message="",
        next_step="",
    )
    return reply


def record_found(*, campaign: Campaign, operation: str, key: str, reply: Reply) -> None:
    """Record the reply of a call after another lookup at the crowd has shown that the call succeeded."""
    now = clock.now()
    intent, _ = CrowdCall.objects.get_or_create(
        key=key, defaults={"campaign": campaign, "operation": operation, "last_tried_at": now}
    )
    _record_reply(intent, reply)


def _record_failure(intent: CrowdCall, error: CrowdError) -> None:
    final = error.error_class == "never"
    CrowdCall.objects.filter(pk=intent.pk).exclude(state=CrowdCall.State.DONE).update(
        state=CrowdCall.State.FAILED if final else CrowdCall.State.INTENDED,
        error_class=error.error_class,
        error_message=error.message,
        next_step=error.next_step,
    )


def got_through(campaign: Campaign, since: datetime) -> bool:
    """Return whether a call to the crowd succeeded or a submission was collected at or after ``since``."""
    called = CrowdCall.objects.filter(campaign=campaign, done_at__gte=since)
    return called.exists() or Submission.objects.filter(campaign=campaign, collected_at__gte=since).exists()


def allow_retries(campaign: Campaign) -> int:
    """Allow a retry of each of the campaign's calls that the crowd refused permanently. Return their number.

    Payments that a person settled are not retried.
    """
    refused = CrowdCall.objects.filter(campaign=campaign, state=CrowdCall.State.FAILED)
    return refused.exclude(payment__state=Payment.State.SETTLED).update(state=CrowdCall.State.INTENDED)


class Patience:
    """Lets a series of steps continue after temporary failures of the crowd, until MOST_IN_A_ROW fail in a row."""

    MOST_IN_A_ROW = 5

    def __init__(self) -> None:
        self.failed: CrowdLater | None = None
        self._in_a_row = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """Run the block as one step. Keep its CrowdLater for done(), unless too many steps failed in a row."""
        try:
            yield
            self._in_a_row = 0
        except CrowdLater as error:
            self.failed = error
            self._in_a_row += 1
            if self._in_a_row >= self.MOST_IN_A_ROW:
                raise

    def done(self) -> None:
        """Raise the last failure, if any, so that the job retries the failed steps."""
        if self.failed:
            raise self.failed
