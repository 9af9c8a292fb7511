"""A worker's hourly pay, from the pilot's median time, or from an estimate before the pilot."""

import statistics
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from judging.campaign.reading_time import seconds_a_pair
from judging.campaign.shared_figures import kept_while_reading
from judging.models import Campaign, Exclusion, Posting, Slot, Submission
from judging.rules.pay import hourly, least_pay

#: The minimum number of timed tasks before their median is shown to workers.
ENOUGH = 3


@dataclass(frozen=True)
class ExpectedPay:
    """The expected seconds and reward for a task. ``measured`` counts the timed pilot tasks; 0 means an estimate."""

    seconds: float
    reward: Decimal
    measured: int

    @property
    def hourly(self) -> Decimal:
        """The pay per hour in dollars, rounded to cents."""
        return hourly(self.reward, self.seconds)

    def reward_for(self, least: Decimal) -> Decimal:
        """Return the lowest reward that pays ``least`` dollars an hour."""
        return least_pay(self.seconds, least)


def expected_pay(campaign: Campaign) -> ExpectedPay:
    """Return the expected time and pay for a whole task, from the pilot's median time or an estimate."""
    times = pilot_seconds(campaign)
    if times:
        return ExpectedPay(statistics.median(times), campaign.reward, measured=len(times))
    return ExpectedPay(campaign.slots_per_task * seconds_a_pair(campaign), campaign.reward, measured=0)


def measured_seconds(campaign: Campaign) -> float | None:
    """Return the median seconds of whole tasks, including the pilot's; None if fewer than ENOUGH were timed."""
    times = seconds_of_tasks(campaign)
    return statistics.median(times) if len(times) >= ENOUGH else None


def submissions_of_excluded(campaign: Campaign) -> QuerySet[Submission]:
    """Return submissions of currently excluded workers, whose speed says nothing about honest work."""
    standing = Exclusion.objects.standing().filter(campaign=campaign)
    return Submission.objects.filter(campaign=campaign, worker__in=standing.values("worker"))


def seconds_of_tasks(campaign: Campaign) -> list[float]:
    """Return the seconds from opening to submission for each whole task, ascending.

    Tasks that were left early or resumed are left out, as are tasks with a pair for which our page recorded no
    choice. Excluded workers are left out because clicking without reading makes the work look quicker than it is.
    Simulated workers are left out because they do not read.
    """
    return elapsed_seconds(_whole_tasks(campaign))


@kept_while_reading
def pilot_seconds(campaign: Campaign) -> list[float]:
    """Return the seconds for each whole task done in a pilot, ascending."""
    return elapsed_seconds(_whole_tasks(campaign).filter(place__posting__purpose=Posting.Purpose.PILOT))


def posting_seconds(posting: Posting) -> list[float]:
    """Return the seconds for each whole task done on one posting, ascending."""
    return elapsed_seconds(_whole_tasks(posting.campaign).filter(place__posting=posting))


def _whole_tasks(campaign: Campaign) -> QuerySet[Submission]:
    whole = Submission.objects.filter(
        campaign=campaign,
        state=Submission.State.SUBMITTED,
        task__isnull=False,
        left_early=False,
        resumed_pairs=0,
        worker__simulated=False,
    ).exclude(Exists(Slot.objects.filter(submission=OuterRef("pk"), choices=None)))
    return whole.exclude(standing=Submission.Standing.TRIAL).exclude(pk__in=submissions_of_excluded(campaign))


def elapsed_seconds(work: QuerySet[Submission]) -> list[float]:
    """Return the seconds from opening to submitting each task, ascending, without tasks that have no end time."""
    times = work.values_list("opened_at", Coalesce("finished_at", "submitted_at"))
    return sorted(max(0.0, (ended - opened).total_seconds()) for opened, ended in times if ended)
