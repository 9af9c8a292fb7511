"""What a worker earns in an hour: from the pilot's median time, or from an estimate before there is one."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Exists, OuterRef, QuerySet

from judging.models import Campaign, Exclusion, Posting, Slot, Submission
from judging.pay import hourly, least_pay
from judging.services.reading_time import seconds_a_pair

#: So many timed tasks make a median that workers can be told.
ENOUGH = 3


@dataclass(frozen=True)
class ExpectedPay:
    """``seconds`` for a task, ``reward`` dollars for it; ``measured`` on so many tasks of a pilot, 0: estimated."""

    seconds: float
    reward: Decimal
    measured: int

    @property
    def hourly(self) -> Decimal:
        """Dollars in an hour, in cents."""
        return hourly(self.reward, self.seconds)

    def reward_for(self, least: Decimal) -> Decimal:
        """The least reward that makes ``least`` dollars an hour."""
        return least_pay(self.seconds, least)


def expected_pay(campaign: Campaign) -> ExpectedPay:
    """The hourly pay to expect for a whole task."""
    times = pilot_seconds(campaign)
    if times:
        return ExpectedPay(statistics.median(times), campaign.reward, measured=len(times))
    return ExpectedPay(campaign.slots_per_task * seconds_a_pair(campaign), campaign.reward, measured=0)


def measured_seconds(campaign: Campaign) -> float | None:
    """The median time of whole tasks, the pilot's included; None while there are not enough."""
    times = seconds_of_tasks(campaign)
    return statistics.median(times) if len(times) >= ENOUGH else None


def of_excluded(campaign: Campaign) -> QuerySet[Submission]:
    """The submissions of workers who are excluded now, whose speed says nothing about honest work."""
    standing = Exclusion.objects.standing().filter(campaign=campaign)
    return Submission.objects.filter(campaign=campaign, worker__in=standing.values("worker"))


def seconds_of_tasks(campaign: Campaign) -> list[float]:
    """How long each whole task took its worker, from opening the page to sending it off, in seconds, ascending.

    Tasks that were left early, resumed, or never seen by our page say nothing about the time of a task. Excluded
    workers are left out: who clicks without reading would make the work look quicker than it is. So are simulated
    workers, who do not read.
    """
    return _times(_whole_tasks(campaign))


def pilot_seconds(campaign: Campaign, posting: Posting | None = None) -> list[float]:
    """The same for the tasks done in the pilot (in one posting of it)."""
    work = _whole_tasks(campaign).filter(place__posting__purpose=Posting.Purpose.PILOT)
    return _times(work if posting is None else work.filter(place__posting=posting))


def _whole_tasks(campaign: Campaign) -> QuerySet[Submission]:
    whole = Submission.objects.filter(
        campaign=campaign,
        state=Submission.State.SUBMITTED,
        task__isnull=False,
        left_early=False,
        resumed_pairs=0,
        worker__simulated=False,
    ).exclude(Exists(Slot.objects.filter(submission=OuterRef("pk"), choices=None)))
    return whole.exclude(standing=Submission.Standing.TRIAL).exclude(pk__in=of_excluded(campaign))


def _times(work: QuerySet[Submission]) -> list[float]:
    rows = work.values_list("opened_at", "finished_at", "submitted_at")
    return sorted(_seconds(opened, finished or submitted) for opened, finished, submitted in rows)


def _seconds(opened: datetime, ended: datetime | None) -> float:
    return max(0.0, (ended - opened).total_seconds()) if ended else 0.0
