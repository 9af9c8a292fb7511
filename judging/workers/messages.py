"""Sends messages to workers through the crowd, and stores them with the campaign."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from config import clock
from judging.crowds import crowd_for
from judging.crowds.interface import MESSAGE_AT_ONCE
from judging.errors import BadInput, CampaignRefused, CrowdError, CrowdLater, CrowdNever, CrowdThrottled
from judging.exchange.calls import Patience, Reply, perform
from judging.models import Campaign, CrowdCall, CrowdIdentity, Exclusion, Submission, Worker, WorkerMessage

LONGEST_SUBJECT = 200
LONGEST_TEXT = 4096
PERHAPS = "It may have been sent anyway."


def addressees(campaign: Campaign, *, workers: Sequence[int] = (), excluded: bool = False) -> list[Worker]:
    """Return the recipients of a message: by default, all workers who submitted work in the campaign.

    ``workers`` limits them to the workers with these keys, and ``excluded`` to excluded workers. Raises
    CampaignRefused if nobody is left. Raises BadInput if one of ``workers`` never submitted anything, since the crowd
    delivers nothing to such a worker.
    """
    came_in = Submission.objects.filter(campaign=campaign, state=Submission.State.SUBMITTED)
    known = Worker.objects.filter(pk__in=came_in.values("worker")).order_by("pk")
    if strangers := sorted(set(workers) - set(known.values_list("pk", flat=True))):
        raise BadInput(f"Worker {strangers[0]} has submitted nothing on {campaign.name}.")
    if workers:
        known = known.filter(pk__in=workers)
    if excluded:
        standing = Exclusion.objects.filter(campaign=campaign, reversed_at=None)
        known = known.filter(pk__in=standing.values("worker"))
    found = list(known.filter(identity__isnull=False))
    if not found:
        raise CampaignRefused("There are no workers to write to.")
    return found


def choose_addressees(campaign: Campaign, to: str, workers: Sequence[int]) -> list[Worker]:
    """Return all workers if ``to`` is ``everybody``, the excluded ones if it is ``excluded``, else ``workers``.

    Raises BadInput without a worker number or for a worker who never submitted anything, and CampaignRefused if there
    is no other recipient.
    """
    if to == "everybody":
        return addressees(campaign)
    if to == "excluded":
        return addressees(campaign, excluded=True)
    if not workers:
        raise BadInput("Enter at least one worker number.")
    return addressees(campaign, workers=workers)


def check_words(subject: str, text: str) -> tuple[str, str]:
    """Return the subject and text without surrounding spaces. Raises BadInput if one is empty or too long."""
    subject, text = subject.strip(), text.strip()
    if not 1 <= len(subject) <= LONGEST_SUBJECT or not 1 <= len(text) <= LONGEST_TEXT:
        raise BadInput(
            f"Enter a subject of at most {LONGEST_SUBJECT} characters and a text of at most {LONGEST_TEXT:,}."
        )
    return subject, text


def write_message(
    campaign: Campaign, workers: Sequence[Worker], *, subject: str, text: str, who: str = ""
) -> list[WorkerMessage]:
    """Store a message to each worker without sending it, and return the rows. :func:`send_message` sends it.

    A worker who already has a row with the same text keeps that row. Raises BadInput for an empty or too long text.
    """
    subject, text = check_words(subject, text)
    return _ensure_messages(campaign, workers, subject, text, who)


def send_message(
    campaign: Campaign, workers: Sequence[Worker], *, subject: str, text: str, who: str = ""
) -> list[WorkerMessage]:
    """Send a message to workers, only once to each. Return the rows, which record when it was sent, or why not.

    The same text to the same worker is the same message. Repeated calls send it only to workers whom it is known not
    to have reached. The crowd stores no key for messages, so a message is not sent again if the reply to its call was
    lost. Each call to the crowd has its own record, so a lost reply affects only the workers of that call. Raises
    BadInput for a text that is empty or too long. If a call fails, its CrowdError is raised after the other calls.
    """
    rows = write_message(campaign, workers, subject=subject, text=text, who=who)
    left = [row for row in rows if _may_be_sent(row)]
    patience, refused = Patience(), None
    for first in range(0, len(left), MESSAGE_AT_ONCE):
        with patience.one():
            try:
                _send_batch(campaign, left[first : first + MESSAGE_AT_ONCE])
            except CrowdNever as error:  # affects only these workers; others can still be reached
                refused = error
    patience.done()
    if refused:
        raise refused
    return rows


@transaction.atomic
def _ensure_messages(
    campaign: Campaign, workers: Sequence[Worker], subject: str, text: str, who: str
) -> list[WorkerMessage]:
    """Return the row of the message to each worker, in their order. Create the rows that do not exist."""
    # Lock the campaign's row first. If two people send the same message at once, the second then finds the rows of
    # the first.
    Campaign.objects.filter(pk=campaign.pk).update(seed=campaign.seed)
    same = WorkerMessage.objects.filter(
        campaign=campaign,
        worker__in=workers,
        direction=WorkerMessage.Direction.TO_WORKER,
        subject=subject,
        text=text,
    )
    known = {row.worker_id: row for row in same.select_related("call").order_by("pk")}
    for worker in workers:
        if worker.pk not in known:
            known[worker.pk] = WorkerMessage.objects.create(
                campaign=campaign, worker=worker, subject=subject, text=text, who=who
            )
    return [known[worker.pk] for worker in workers]


def _may_be_sent(row: WorkerMessage) -> bool:
    """Return whether the message was certainly not sent before; False after a call without a reply."""
    if row.sent_at or (row.call and (row.call.reply or {}).get("unknown")):
        return False
    failed = (row.call.reply or {}).get("failed") if row.call else None
    if row.call and failed is not None and str(row.worker_id) not in failed:
        # It was delivered, but the program stopped before it recorded that.
        _record_delivery([row], failure="", sent_at=row.call.done_at)
        return False
    if row.call and row.call.state == CrowdCall.State.INTENDED and row.call.attempts:
        _record_delivery([row], failure=f"It was being sent when the program stopped. {PERHAPS}")
        return False
    return True


def _send_batch(campaign: Campaign, batch: Sequence[WorkerMessage]) -> None:
    """Send a message with one call to the crowd, and record in its rows whether it was delivered."""
    ids = dict(
        CrowdIdentity.objects.filter(worker__in=[row.worker_id for row in batch]).values_list(
            "worker_id", "crowd_worker_id"
        )
    )
    call = _record_intent(campaign, batch)
    if call is None:
        return  # another process is already sending these
    subject, text, crowd = batch[0].subject, batch[0].text, crowd_for(campaign)

    def send() -> Reply:
        return not_delivered(crowd.message(crowd_worker_ids=[*ids.values()], subject=subject, text=text), ids)

    try:
        reply = perform(
            campaign=campaign,
            operation="message",
            key=call.key,
            request=call.request,
            act=send,
            find=lambda _: None,
        )
    except CrowdError as error:
        lost = isinstance(error, CrowdLater) and not isinstance(error, CrowdThrottled)
        CrowdCall.objects.filter(pk=call.pk).update(state=CrowdCall.State.DONE, reply={"unknown": lost})
        _record_delivery(batch, failure=f"{error.message} {PERHAPS}" if lost else error.message)
        raise
    now = clock.now()
    for row in batch:
        gone = "" if row.worker_id in ids else "This worker was forgotten."
        failure = gone or reply["failed"].get(str(row.worker_id), "")
        _record_delivery([row], failure=failure, sent_at=None if failure else now)


def not_delivered(failed: Mapping[str, str], ids: Mapping[int, str]) -> Reply:
    """Return the reply to record for a message: for each worker who was not reached, our key and the reason.

    ``failed`` maps worker ids at the crowd to reasons. ``ids`` maps our keys of all recipients to their worker ids.
    The reply has no worker ids, and its keys are strings, as in JSON.
    """
    return {
        "failed": {
            str(worker): failed[crowd_id].replace(crowd_id, f"worker {worker}")
            for worker, crowd_id in ids.items()
            if crowd_id in failed
        }
    }


def _record_intent(campaign: Campaign, batch: Sequence[WorkerMessage]) -> CrowdCall | None:
    """Record the call that will send exactly these rows. Return None if another process is sending one of them."""
    numbers = [row.pk for row in batch]
    before = [row.call_id for row in batch]
    stem = f"{campaign.call_key}-message-{numbers[0]}"
    with transaction.atomic():
        tried = CrowdCall.objects.filter(campaign=campaign, key__startswith=f"{stem}-").count()
        call, made = CrowdCall.objects.get_or_create(
            key=f"{stem}-{tried + 1}",
            defaults={"campaign": campaign, "operation": "message", "request": {"messages": numbers}},
        )
        same = WorkerMessage.objects.filter(pk__in=numbers, sent_at=None)
        same = same.filter(Q(call=None) | Q(call__in=[one for one in before if one]))
        if not made or same.update(call=call, failure="") != len(batch):
            transaction.set_rollback(True)
            return None
    return call


def _record_delivery(rows: Sequence[WorkerMessage], *, failure: str, sent_at: datetime | None = None) -> None:
    WorkerMessage.objects.filter(pk__in=[row.pk for row in rows]).update(failure=failure, sent_at=sent_at)
    for row in rows:
        row.failure, row.sent_at = failure, sent_at
