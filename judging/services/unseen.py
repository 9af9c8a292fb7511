"""Work at the crowd that our page never saw: who repeats it is blocked, and a rising number pauses a campaign.

Both are decisions on record that a person can reverse. Nobody is rejected: the pay is held (services/holding.py).
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

from django.db.models import Count, Exists, Max, OuterRef, QuerySet

from config import clock
from config.plurals import many
from judging.errors import CampaignRefused
from judging.models import Campaign, Discrepancy, Exclusion, Payment, Submission, Worker
from judging.screening import Verdict
from judging.services.campaigns import log, pause
from judging.services.screening_workers import exclude, standing_exclusion

#: After so many submissions that our page never saw, a worker is blocked.
MOST_OF_A_WORKER = 2
#: So many of them pause a campaign, when they are also this share of what came in. No worker counts for more than
#: MOST_OF_A_WORKER of them, so that one alone, who is blocked, stops nobody else's work.
MOST = 5
SHARE = 0.2
#: They are counted over this time, or since a person resumed the campaign.
LATELY = timedelta(hours=24)


def undecided_or_refused(work: QuerySet[Submission]) -> QuerySet[Submission]:
    """Those of the submissions that our page did not see as they came in, and that no person has vouched for."""
    noted = Discrepancy.objects.filter(submission=OuterRef("pk"), kind=Discrepancy.Kind.ONLY_THERE)
    states = [Payment.State.HELD, Payment.State.REJECTED]
    not_paid = Payment.objects.filter(submission=OuterRef("pk"), state__in=states)
    return work.filter(Exists(noted), Exists(not_paid))


def block_repeater(campaign: Campaign, worker: Worker) -> Exclusion | None:
    """Exclude a worker of whom our page did not see MOST_OF_A_WORKER submissions; lists at the crowd follow.

    What came in before a person took such an exclusion back is not held against the worker again.
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
    reason = f"{many(count, 'submission')} came in that our page never saw"
    exclusion = exclude(campaign, worker, Verdict(True, Exclusion.UNSEEN, reason, ()), [])
    log(campaign, f"worker {worker.pk} excluded by the rule {Exclusion.UNSEEN}", why=reason)
    return exclusion


def pause_if_rising(campaign: Campaign) -> bool:
    """Pause the campaign when too much comes in that our page never saw; whether it was paused."""
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
        f"Work came in from {workers} that our page never saw: forms were sent straight to the crowd, or our page "
        "was away. Its pay is held: decide about it before you resume."
    )
    with suppress(CampaignRefused):  # somebody else paused it just now
        pause(campaign, why=why)
    return True
