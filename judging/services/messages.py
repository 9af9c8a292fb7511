"""Messages to workers: sent through the crowd, kept with the campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from config import clock
from judging.crowds import crowd_for
from judging.crowds.seam import MESSAGE_AT_ONCE
from judging.errors import BadInput, CampaignRefused, CrowdError, CrowdLater, CrowdNever, CrowdThrottled
from judging.models import Campaign, CrowdCall, CrowdIdentity, Exclusion, Submission, Worker, WorkerMessage
from judging.services.calls import Patience, Reply, campaign_key, perform

LONGEST_SUBJECT = 200
LONGEST_TEXT = 4096
PERHAPS = "It may have been sent all the same."


def addressees(campaign: Campaign, *, workers: Sequence[int] = (), excluded: bool = False) -> list[Worker]:
    """Who is written to: the named workers, the excluded ones, or everybody whose work came in.

    Raises CampaignRefused for a worker who never sent anything off here (the crowd delivers only to those whose work
    was reviewed), and when nobody is left.
    """
    came_in = Submission.objects.filter(campaign=campaign, state=Submission.State.SUBMITTED)
    known = Worker.objects.filter(pk__in=came_in.values("worker")).order_by("pk")
    if strangers := sorted(set(workers) - set(known.values_list("pk", flat=True))):
        raise BadInput(f"Nothing of worker {strangers[0]} came in on {campaign.name}.")
    if workers:
        known = known.filter(pk__in=workers)
    if excluded:
        standing = Exclusion.objects.filter(campaign=campaign, reversed_at=None)
        known = known.filter(pk__in=standing.values("worker"))
    found = list(known.filter(identity__isnull=False))
    if not found:
        raise CampaignRefused("There is nobody to write to.")
    return found


def addressed(campaign: Campaign, to: str, workers: Sequence[int]) -> list[Worker]:
    """Who is written to, in a word: ``everybody``, the ``excluded``, or else those named, of whom there is one.

    Raises CampaignRefused.
    """
    if to == "everybody":
        return addressees(campaign)
    if to == "excluded":
        return addressees(campaign, excluded=True)
    if not workers:
        raise BadInput("Name at least one worker by number.")
    return addressees(campaign, workers=workers)


def check_words(subject: str, text: str) -> tuple[str, str]:
    """Subject and text as they are sent; raises CampaignRefused for an empty or too long one."""
    subject, text = subject.strip(), text.strip()
    if not 1 <= len(subject) <= LONGEST_SUBJECT or not 1 <= len(text) <= LONGEST_TEXT:
        raise BadInput(
            f"A message has a subject of at most {LONGEST_SUBJECT} characters and a text of at most {LONGEST_TEXT:,}."
        )
    return subject, text


def write_message(
    campaign: Campaign, workers: Sequence[Worker], *, subject: str, text: str, who: str = ""
) -> list[WorkerMessage]:
    """Keep the message for each of the workers, without sending it; :func:`send_message` with the same words does.

    Who was written the same before has that row. Raises CampaignRefused for an empty or too long text.
    """
    subject, text = check_words(subject, text)
    return _rows(campaign, workers, subject, text, who)


def send_message(
    campaign: Campaign, workers: Sequence[Worker], *, subject: str, text: str, who: str = ""
) -> list[WorkerMessage]:
    """Write to workers, each once; the rows say to whom it was sent, or why not.

    The same words to the same worker are the same message: asked again, it goes to those alone whom it did not reach
    for certain. A message has no key at the crowd and cannot be found again, so one whose reply was lost is not sent
    a second time. Each call to the crowd is an intent of its own, so that one lost reply leaves no other in doubt.
    Raises CampaignRefused for an empty or too long text, and at the end the CrowdError of a call that failed.
    """
    rows = write_message(campaign, workers, subject=subject, text=text, who=who)
    left = [row for row in rows if _may_be_sent(row)]
    patience, refused = Patience(), None
    for first in range(0, len(left), MESSAGE_AT_ONCE):
        with patience.one():
            try:
                _send(campaign, left[first : first + MESSAGE_AT_ONCE])
            except CrowdNever as error:  # somebody among these; the others can be written to
                refused = error
    patience.done()
    if refused:
        raise refused
    return rows


@transaction.atomic
def _rows(
    campaign: Campaign, workers: Sequence[Worker], subject: str, text: str, who: str
) -> list[WorkerMessage]:
    """A row for each worker: the one that is there, or a new one."""
    # The campaign's row is taken first: of two who write the same at once, the second finds the first one's rows.
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
    """Whether it is certain that the message did not go out. A call that was made and never answered is not."""
    if row.sent_at or (row.call and (row.call.reply or {}).get("unknown")):
        return False
    if row.call and row.call.state == CrowdCall.State.INTENDED and row.call.attempts:
        _note([row], failure=f"It was being sent when this program ended. {PERHAPS}")
        return False
    return True


def _send(campaign: Campaign, batch: Sequence[WorkerMessage]) -> None:
    """One call to the crowd, and what became of it."""
    ids = dict(
        CrowdIdentity.objects.filter(worker__in=[row.worker_id for row in batch]).values_list(
            "worker_id", "crowd_worker_id"
        )
    )
    call = _intent(campaign, batch)
    if call is None:
        return  # another process is just sending these
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
        _note(batch, failure=f"{error.message} {PERHAPS}" if lost else error.message)
        raise
    now = clock.now()
    for row in batch:
        gone = "" if row.worker_id in ids else "Who this was is forgotten."
        failure = gone or reply["failed"].get(str(row.worker_id), "")
        _note([row], failure=failure, sent_at=None if failure else now)


def not_delivered(failed: Mapping[str, str], ids: Mapping[int, str]) -> Reply:
    """The crowd's reply as it is kept: our worker's number (as JSON has it) → why; without the crowd's ids.

    ``failed`` is by crowd id, ``ids`` are those of the workers who were written to.
    """
    return {
        "failed": {
            str(worker): failed[crowd_id].replace(crowd_id, f"worker {worker}")
            for worker, crowd_id in ids.items()
            if crowd_id in failed
        }
    }


def _intent(campaign: Campaign, batch: Sequence[WorkerMessage]) -> CrowdCall | None:
    """A call for exactly these rows, recorded before it is made; None when another process took one of them."""
    numbers = [row.pk for row in batch]
    before = [row.call_id for row in batch]
    stem = f"{campaign_key(campaign)}-message-{numbers[0]}"
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


def _note(rows: Sequence[WorkerMessage], *, failure: str, sent_at: datetime | None = None) -> None:
    WorkerMessage.objects.filter(pk__in=[row.pk for row in rows]).update(failure=failure, sent_at=sent_at)
    for row in rows:
        row.failure, row.sent_at = failure, sent_at
