"""Caches statistics that are counted from all of a campaign's submissions.

Counting 150,000 judgments takes a large part of a second, so a result is cached until new submissions arrive. If they
arrive continuously, an old result stays in use long enough to limit counting to a twentieth of the time. A decision
by a person or a rule (an exclusion, a reinstatement, a suspended gold pair) always causes a new count.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db.models import Count, Max, Q

from config import clock, kept_objects
from judging.models import Campaign, CampaignChange, Exclusion, GoldPair, ImportedFile, Submission

#: Largest share of the time that may be spent on counting.
SHARE = 1 / 20
KEEP_SECONDS = 7 * 86400

Made = TypeVar("Made")


@dataclass(frozen=True)
class Kept(Generic[Made]):
    """A cached result (``made``), the time when it was computed (``at``), and the ``seconds`` that this took.

    ``decisions`` and ``work`` identify the data from which it was computed (see kept_under).
    """

    made: Made
    at: datetime
    seconds: float
    decisions: tuple[Any, ...]
    work: tuple[Any, ...]


def kept_figures(campaign: Campaign, what: str, make: Callable[[], Made]) -> Kept[Made]:
    """Return the result of ``make`` for the campaign, cached under the name ``what``."""
    key = kept_objects.object_key("figures", what, campaign.pk, campaign.created_at.timestamp())
    return kept_under(key, _decision_marks(campaign), _work_marks(campaign), make)


def kept_under(
    key: str, decisions: tuple[Any, ...], work: tuple[Any, ...], make: Callable[[], Made]
) -> Kept[Made]:
    """Return the result of ``make``, cached under ``key`` (see :func:`config.kept_objects.object_key`).

    Different ``decisions`` always cause a new count. Different ``work`` does so only once the result is old enough.
    """
    known: Kept[Made] | None = kept_objects.kept(key)
    now = clock.now()
    if known and known.decisions == decisions:
        age = (now - known.at).total_seconds()
        if known.work == work or 0 <= age < known.seconds / SHARE:
            return known
    started = time.perf_counter()
    made = make()
    fresh = Kept(made, now, time.perf_counter() - started, decisions, work)
    kept_objects.keep_object(key, fresh, KEEP_SECONDS)
    return fresh


def last_kept(key: str) -> Kept[Any] | None:
    """Return the last result cached under ``key``, however old it is, or None if there is none."""
    found: Kept[Any] | None = kept_objects.kept(key)
    return found


def _decision_marks(campaign: Campaign) -> tuple[Any, ...]:
    """Return values that change with every decision about workers, gold pairs or the campaign itself."""
    exclusions = Exclusion.objects.filter(campaign=campaign).aggregate(
        last=Max("pk"), reversed=Count("pk", filter=Q(reversed_at__isnull=False))
    )
    suspended = GoldPair.objects.filter(campaign=campaign, state=GoldPair.State.SUSPENDED).count()
    last = CampaignChange.objects.filter(campaign=campaign).aggregate(last=Max("pk"))["last"]
    return exclusions["last"], exclusions["reversed"], suspended, last


def _work_marks(campaign: Campaign) -> tuple[Any, ...]:
    """Return values that change with new work: counts of submissions by standing, and of imported files."""
    came_in = Submission.objects.filter(campaign=campaign, state=Submission.State.SUBMITTED)
    standings = sorted(came_in.values_list("standing").annotate(Count("pk")).order_by())
    return tuple(standings), ImportedFile.objects.filter(campaign=campaign).count()
