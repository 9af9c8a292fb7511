"""Messages that explain to workers why our places are hidden from them, what is paid, and how to appeal.

They are sent only at a crowd with block lists; elsewhere an excluded worker sees our own refusal page. If the crowd's
reply is lost, the message is sent again, because a duplicate is better than no message.
"""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import translation
from django.utils.translation import gettext

from judging.crowds import crowd_for
from judging.crowds.interface import Crowd
from judging.errors import CrowdNever
from judging.exchange.calls import Patience, Reply, perform
from judging.exchange.link_tokens import Refused, appeal_address
from judging.models import (
    Appeal,
    Campaign,
    CrowdCall,
    CrowdIdentity,
    Exclusion,
    Payment,
    Worker,
    WorkerMessage,
)
from judging.rules.durations import working_days
from judging.rules.refusals import MEANINGS, MEANINGS_ELSEWHERE, REFUSALS
from judging.workers.messages import not_delivered
from judging.workers.unfinished import unfinished_of

#: Maximum number of characters of an answer in a notice, which leaves room for the link below it.
LONGEST_ANSWER = 3000


@dataclass(frozen=True)
class Notice:
    """A notice to one worker. ``name`` identifies its exclusion or appeal, so that the notice is sent only once."""

    name: str
    worker: Worker
    subject: str
    text: str


def send_notices(campaign: Campaign) -> int:
    """Send one notice for each exclusion and each answered appeal. Return the number of notices delivered.

    The crowd cannot reach workers who were never paid, so they are notified once they are paid. Safe to repeat.
    """
    crowd, patience, told = crowd_for(campaign), Patience(), 0
    if not crowd.keeps_block_lists:
        return 0
    prefix = f"{campaign.call_key}-notice-"
    rows = CrowdCall.objects.filter(campaign=campaign, key__startswith=prefix)
    # If the call is done and nothing is stored, the program stopped in between. Then the notice is only stored.
    done = set(rows.filter(Q(state=CrowdCall.State.FAILED) | ~Q(messages=None)).values_list("key", flat=True))
    with translation.override(campaign.wording):
        due = [*_exclusion_notices(campaign), *_appeal_notices(campaign)]
    for notice in due:
        if (key := f"{prefix}{notice.name}") in done:
            continue
        with patience.one():
            told += _send_notice(campaign, crowd, notice, key)
    patience.done()
    return told


def _send_notice(campaign: Campaign, crowd: Crowd, notice: Notice, key: str) -> int:
    """Send the notice and store it with the campaign. Return 1, or 0 if the crowd did not deliver it."""
    ids = {notice.worker.pk: CrowdIdentity.objects.get(worker=notice.worker).crowd_worker_id}

    def act() -> Reply:
        failed = crowd.message(crowd_worker_ids=[*ids.values()], subject=notice.subject, text=notice.text)
        return not_delivered(failed, ids)

    request = {"notice": notice.name, "worker": notice.worker.pk}
    try:
        reply = perform(
            campaign=campaign, operation="message", key=key, request=request, act=act, find=lambda _: None
        )
    except CrowdNever:
        return 0
    failure = reply["failed"].get(str(notice.worker.pk), "")
    _store_notice(campaign, notice, CrowdCall.objects.get(key=key), failure)
    return int(not failure)


def _store_notice(campaign: Campaign, notice: Notice, call: CrowdCall, failure: str) -> None:
    kept = {
        "campaign": campaign,
        "subject": notice.subject,
        "text": notice.text,
        "failure": failure,
        "sent_at": None if failure else call.done_at,
    }
    WorkerMessage.objects.get_or_create(call=call, worker=notice.worker, defaults=kept)


def _exclusion_notices(campaign: Campaign) -> list[Notice]:
    """Return a notice for each exclusion in force of a worker whom the crowd can reach.

    Workers who withdrew, and simulated ones, get none.
    """
    standing = Exclusion.objects.misconduct().filter(campaign=campaign, worker__simulated=False)
    rows = _reachable_by_crowd(standing).select_related("worker").order_by("pk")
    page = REFUSALS["excluded"].said(gettext)
    return [
        Notice(
            f"exclusion-{row.pk}",
            row.worker,
            page.title,
            _paragraphs(
                campaign.title,
                meaning_of(row),
                page.pay,
                gettext(
                    "If you think this is a mistake, tell us on this page. The requester reads it and answers there "
                    "within {time}:"
                ).format(time=working_days(campaign.answer_days, translation)),
                appeal_link(campaign, row.worker),
            ),
        )
        for row in rows
    ]


def _appeal_notices(campaign: Campaign) -> list[Notice]:
    """Return a notice for each answered appeal, except those that others may have made in a worker's name."""
    settled = Appeal.objects.confirmed().filter(campaign=campaign).exclude(settled_at=None)
    rows = _reachable_by_crowd(settled).select_related("worker").order_by("pk")
    return [
        Notice(
            f"appeal-{row.pk}",
            row.worker,
            gettext("An answer to your objection"),
            _paragraphs(campaign.title, row.settled_why[:LONGEST_ANSWER], answer_link(row)),
        )
        for row in rows
    ]


def _reachable_by_crowd(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return the rows whose worker the crowd can reach: we still have the worker's id, and have paid a reward."""
    paid = Payment.objects.filter(
        submission__worker=OuterRef("worker"),
        submission__campaign=OuterRef("campaign"),
        kind=Payment.Kind.REWARD,
        state=Payment.State.PAID,
    )
    return rows.filter(Exists(paid), worker__identity__isnull=False)


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def meaning_of(exclusion: Exclusion) -> str:
    """Return the reason for an exclusion in the words that the worker sees, in the active language.

    It never says which pairs the worker failed.
    """
    return gettext(MEANINGS.get(exclusion.rule, REFUSALS["excluded"].meaning))


def meaning_of_refusal(reason: str, campaign: Campaign, worker: Worker) -> str:
    """Return the explanation of a refusal for the worker. For an exclusion, it depends on the rule behind it."""
    standing = Exclusion.objects.misconduct().filter(worker=worker)
    if reason == "excluded" and (here := standing.filter(campaign=campaign).first()):
        return meaning_of(here)
    elsewhere = Exclusion.objects.carried_over(campaign.collection_id).filter(worker=worker)
    if reason == "excluded-elsewhere" and (there := elsewhere.order_by("-pk").first()):
        return gettext(MEANINGS_ELSEWHERE.get(there.rule, REFUSALS[reason].meaning))
    return gettext(REFUSALS[reason].meaning)


def is_refused(reason: str, campaign: Campaign, worker: Worker) -> bool:
    """Return whether the worker is still refused for ``reason``: excluded, excluded-elsewhere or unfinished."""
    if reason == "unfinished":
        return unfinished_of(campaign, worker).stopped
    mine = Exclusion.objects.filter(worker=worker)
    if reason == "excluded":
        return mine.misconduct().filter(campaign=campaign).exists()
    return mine.carried_over(campaign.collection_id).exists()


def appeal_link(campaign: Campaign, worker: Worker) -> str:
    """Return the URL of the page where the worker appeals and reads the answer. Only the worker gets this URL."""
    return settings.PUBLIC_URL + appeal_address(Refused(campaign.pk, worker.pk, "excluded"))


def answer_link(appeal: Appeal) -> str:
    """Return the URL of the page that shows this appeal and its answer."""
    of = Refused(appeal.campaign_id, appeal.worker_id, appeal.refusal, appeal.came_by)
    return settings.PUBLIC_URL + appeal_address(of)
