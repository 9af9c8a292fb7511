"""Exclude workers with several submissions that our page never saw, and pause a campaign that gets many of them.

Both decisions are recorded, and a person can reverse them. The pay is held (judging/money/held_pay.py).
"""

from contextlib import suppress
from datetime import timedelta

from django.db.models import Count, Exists, Max, OuterRef, QuerySet

from config import clock
from config.plurals import many
from judging.campaign.campaigns import log_change, pause
from judging.errors import CampaignRefused
from judging.intake.screened_work import exclude, standing_exclusion
from judging.models import Campaign, Discrepancy, Exclusion, Payment, Submission, Worker

#: A worker is excluded at this number of submissions that our page never saw.
MOST_OF_A_WORKER = 2
#: A campaign is paused at MOST such submissions, if they are also at least this SHARE of all submissions. At most
#: MOST_OF_A_WORKER are counted per worker, so that one excluded worker does not stop the campaign.
MOST = 5
SHARE = 0.2
#: The period in which these submissions are counted. The count starts anew if the campaign is opened or resumed.
LATELY = timedelta(hours=24)


def undecided_or_refused(work: QuerySet[Submission]) -> QuerySet[Submission]:
    """Keep the submissions in ``work`` of which our page saw no choice and whose pay is held or was rejected."""
    noted = Discrepancy.objects.filter(
        submission=OuterRef("pk"), kind=Discrepancy.Kind.ONLY_THERE, detail__saved=0
    )
    states = [Payment.State.HELD, Payment.State.REJECTED]
    not_paid = Payment.objects.filter(submission=OuterRef("pk"), state__in=states)
    return work.filter(Exists(noted), Exists(not_paid))


def block_repeater(campaign: Campaign, worker: Worker) -> Exclusion | None:
    """Exclude a worker with MOST_OF_A_WORKER submissions that our page never saw; return the exclusion, or None.

    Submissions from before a person reversed such an exclusion are not counted again. The crowd's block list is
    updated later.
    """
    if standing_exclusion(campaign, worker):
        return None
    earlier = Exclusion.objects.filter(campaign=campaign, worker=worker, rule=Exclusion.UNSEEN)
    work = Submission.objects.filter(campaign=campaign, worker=worker, collected_at__isnull=False)
    if reversed_at := earlier.aggregate(last=Max("reversed_at"))["last"]:
        work = work.filter(collected_at__gt=reversed_at)
    count = undecided_or_refused(work).count()
    if count < MOST_OF_A_WORKER:
        return None
    reason = f"{many(count, 'submission')} came in without a pair judged on our page"
    exclusion = exclude(campaign, worker, Exclusion.UNSEEN, reason)
    log_change(campaign, f"worker {worker.pk} excluded by the rule {Exclusion.UNSEEN}", why=reason)
    return exclusion


def pause_if_rising(campaign: Campaign) -> bool:
    """Pause the campaign and return True if it gets too many submissions that our page never saw."""
    if campaign.state not in Campaign.OFFERING:
        return False
    since = clock.now() - LATELY
    resumed = campaign.changes.filter(what=Campaign.State.OPEN).aggregate(last=Max("happened_at"))["last"]
    came_in = Submission.objects.filter(
        campaign=campaign,
        state=Submission.State.SUBMITTED,
        collected_at__gte=max(since, resumed) if resumed else since,
    )
    by_worker = undecided_or_refused(came_in).values_list("worker").annotate(Count("pk")).order_by()
    count = sum(min(number, MOST_OF_A_WORKER) for _, number in by_worker)
    if count < MOST or count < SHARE * came_in.count():
        return False
    workers = many(len(by_worker), "worker")
    why = (
        f"Work came in from {workers} without a pair judged on our page. Forms were sent straight to the crowd, or "
        "our page was down. The pay is held: decide about it before you resume."
    )
    with suppress(CampaignRefused):  # it was paused meanwhile
        pause(campaign, why=why)
    return True
