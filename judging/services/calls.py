"""One discipline for every call with an effect on a crowd.

Intent row committed; the call outside any transaction, under a token made from the intent's key; the reply
recorded. "Already exists" is success: the thing is found again. The crowd forgets tokens after 24 hours, so
an intent first tried longer ago is looked up before it is tried again.
"""

from __future__ import annotations

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


def campaign_key(campaign: Campaign) -> str:
    """A short prefix of this campaign's keys, unlike that of any other installation's campaigns."""
    return campaign.call_key


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
    """Have the effect once, whatever was tried before; returns the recorded reply.

    ``act`` makes the call; ``find`` looks the effect up at the crowd (given the crowd's "already" error when
    there is one) and returns its reply or None. Raises the CrowdError that stopped it. What the crowd refused for
    good is not asked again until a person says so (:func:`ask_again`). ``since`` says from when on the effect was
    possible: a backup that was put back may not know of a call that was made then.
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
        return _done(intent, found)
    now = clock.now()
    CrowdCall.objects.filter(pk=intent.pk).update(
        attempts=F("attempts") + 1, first_tried_at=intent.first_tried_at or now, last_tried_at=now
    )
    try:
        return _done(intent, act())
    except CrowdAlready as already:
        if found := find(already):
            return _done(intent, found)
        error: CrowdError = CrowdLater(
            f"The crowd did this before but does not list it yet: {already.message}"
        )
    except CrowdError as stopped:
        error = stopped
    _stopped(intent, error)
    raise error


def _done(intent: CrowdCall, reply: Reply) -> Reply:
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
    """Note that an intent had its effect, which was found at the crowd while looking for something else."""
    now = clock.now()
    intent, _ = CrowdCall.objects.get_or_create(
        key=key, defaults={"campaign": campaign, "operation": operation, "last_tried_at": now}
    )
    _done(intent, reply)


def _stopped(intent: CrowdCall, error: CrowdError) -> None:
    final = error.error_class == "never"
    CrowdCall.objects.filter(pk=intent.pk).exclude(state=CrowdCall.State.DONE).update(
        state=CrowdCall.State.FAILED if final else CrowdCall.State.INTENDED,
        error_class=error.error_class,
        error_message=error.message,
        next_step=error.next_step,
    )


def got_through(campaign: Campaign, since: datetime) -> bool:
    """Whether the crowd did anything for the campaign since then: a call had its effect, or work came in."""
    called = CrowdCall.objects.filter(campaign=campaign, done_at__gte=since)
    return called.exists() or Submission.objects.filter(campaign=campaign, collected_at__gte=since).exists()


def ask_again(campaign: Campaign) -> int:
    """Let every call that the crowd refused for good be tried once more; returns how many.

    Payments that a person settled are not tried.
    """
    refused = CrowdCall.objects.filter(campaign=campaign, state=CrowdCall.State.FAILED)
    return refused.exclude(payment__state=Payment.State.SETTLED).update(state=CrowdCall.State.INTENDED)


class Patience:
    """Goes on with the next thing when the crowd fails one for now, and gives up when it fails many in a row."""

    MOST_IN_A_ROW = 5

    def __init__(self) -> None:
        self.failed: CrowdLater | None = None
        self._in_a_row = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """One thing that may fail for now."""
        try:
            yield
            self._in_a_row = 0
        except CrowdLater as error:
            self.failed = error
            self._in_a_row += 1
            if self._in_a_row >= self.MOST_IN_A_ROW:
                raise

    def done(self) -> None:
        """Raises the last failure, if there was one: what failed is to be tried again."""
        if self.failed:
            raise self.failed
