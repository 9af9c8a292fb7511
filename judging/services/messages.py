"""Messages to workers: sent through the crowd, kept with the campaign."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from config import clock
from judging.crowds import crowd_for
from judging.errors import CampaignRefused, CrowdError, CrowdLater
from judging.models import Campaign, CrowdCall, CrowdIdentity, Exclusion, Submission, Worker, WorkerMessage
from judging.services.calls import Reply, campaign_key, perform

LONGEST_SUBJECT = 200
LONGEST_TEXT = 4096


def addressees(campaign: Campaign, *, workers: Sequence[int] = (), excluded: bool = False) -> list[Worker]:
    """Who is written to: the named workers, the excluded ones, or everybody whose work came in.

    Raises CampaignRefused for a worker who never sent anything off here (the crowd delivers only to those whose work
    was reviewed), and when nobody is left.
    """
    came_in = Submission.objects.filter(campaign=campaign, state=Submission.State.SUBMITTED)
    known = Worker.objects.filter(pk__in=came_in.values("worker")).order_by("pk")
    if strangers := sorted(set(workers) - set(known.values_list("pk", flat=True))):
        raise CampaignRefused(f"Nothing of worker {strangers[0]} came in on {campaign.name}.")
    if workers:
        known = known.filter(pk__in=workers)
    if excluded:
        standing = Exclusion.objects.filter(campaign=campaign, reversed_at=None)
        known = known.filter(pk__in=standing.values("worker"))
    found = list(known.filter(identity__isnull=False))
    if not found:
        raise CampaignRefused("There is nobody to write to.")
    return found


def send_message(
    campaign: Campaign, workers: Sequence[Worker], *, subject: str, text: str, who: str = ""
) -> list[WorkerMessage]:
    """Write to workers once; each row says whether it was sent or why not.

    A message has no key at the crowd and cannot be found again, so one whose reply was lost is not sent a second
    time: its row says so. Raises CampaignRefused for an empty or too long text.
    """
    subject, text = subject.strip(), text.strip()
    if not 1 <= len(subject) <= LONGEST_SUBJECT or not 1 <= len(text) <= LONGEST_TEXT:
        raise CampaignRefused(
            f"A message has a subject of at most {LONGEST_SUBJECT} characters and a text of at most {LONGEST_TEXT:,}."
        )
    with transaction.atomic():
        rows = [
            WorkerMessage.objects.create(
                campaign=campaign, worker=worker, subject=subject, text=text, who=who
            )
            for worker in workers
        ]
    ids = dict(CrowdIdentity.objects.filter(worker__in=workers).values_list("worker_id", "crowd_worker_id"))
    crowd = crowd_for(campaign)

    def send() -> Reply:
        return {"failed": crowd.message(crowd_worker_ids=[*ids.values()], subject=subject, text=text)}

    key = f"{campaign_key(campaign)}-message-{rows[0].pk}"
    request = {"messages": [row.pk for row in rows]}
    try:
        reply = perform(
            campaign=campaign, operation="message", key=key, request=request, act=send, find=lambda _: None
        )
    except CrowdError as error:
        lost = isinstance(error, CrowdLater)
        said = f"{error.message} It may have been sent all the same." if lost else error.message
        WorkerMessage.objects.filter(pk__in=[row.pk for row in rows]).update(failure=said)
        CrowdCall.objects.filter(key=key).update(
            state=CrowdCall.State.DONE, reply={"failed": {}, "unknown": True}
        )
        raise
    call = CrowdCall.objects.get(key=key)
    for row in rows:
        row.failure = reply["failed"].get(ids[row.worker_id], "")
        row.sent_at, row.call = (None if row.failure else clock.now()), call
        row.save(update_fields=["failure", "sent_at", "call"])
    return rows
