"""The history of a campaign: judgments, sides, agreement, gold and times, in total and over time.

The database adds up the rows, so the number of SQL queries does not grow with the campaign. A judgment belongs to the
time of its choice, and a gold answer to the time when it was recorded.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, F, Max, Min, Q, QuerySet
from django.db.models.functions import Coalesce, Trunc

from config import clock
from judging.campaign.hourly_pay import elapsed_seconds, submissions_of_excluded
from judging.models import Campaign, Choice, GoldAnswer, GoldPair, Judgment, Submission, TaskPair
from judging.models.judgments import SAME_ANSWER
from judging.rules.pay import hourly
from judging.rules.wilson import wilson
from judging.tasks.repeated_pairs import consistency_of_all

#: The maximum number of points over time, and the possible intervals between two points, in seconds.
POINTS = 40
WIDTHS = (60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 7 * 86400, 28 * 86400)
#: The maximum number of submissions whose times are read, sampled evenly if there are more.
TIMED = 600
COUNTED = Submission.Standing.COUNTED


@dataclass(kw_only=True)
class Counts:
    """Counts of judgments and answers on gold pairs.

    - ``judgments``: counted judgments.
    - ``decided``, ``left``: those with a preference, and those that preferred the left passage.
    - ``twos``, ``agreeing``: combinations of two judgments of the same pair, and those that agree.
    - ``gold``, ``gold_passed``: answers on gold pairs, and those that passed.
    """

    judgments: int = 0
    left: int = 0
    decided: int = 0
    twos: int = 0
    agreeing: int = 0
    gold: int = 0
    gold_passed: int = 0

    @property
    def left_share(self) -> float | None:
        return _ratio_or_none(self.left, self.decided)

    @property
    def agreement(self) -> float | None:
        return _ratio_or_none(self.agreeing, self.twos)

    @property
    def gold_rate(self) -> float | None:
        return _ratio_or_none(self.gold_passed, self.gold)


@dataclass(kw_only=True)
class Point(Counts):
    """The counts of one interval of time, which starts at ``at``.

    ``seconds`` is the median time of a pair on screen.
    """

    at: datetime
    seconds: float | None = None


#: A function that returns the point whose interval contains the given time.
PointAt = Callable[[datetime], Point]


@dataclass(kw_only=True)
class Course(Counts):
    """The statistics of a campaign so far, whose counts are the sums over its ``points``.

    - ``wanted``, ``counted``: numbers of judgments.
    - ``standings``: numbers of judgments by the standing of their submission; imported judgments under "".
    - ``repeated``, ``repeated_same``: pairs that a worker (not excluded) answered twice, and those answered the same.
    - ``seconds``: sorted times of pairs on screen, from ``timed`` submissions.
    - ``task_seconds``: times of whole tasks, from opening to submitting.
    """

    wanted: int
    counted: int
    simulated: int
    standings: dict[str, int]
    timed: int
    repeated: int
    repeated_same: int
    seconds: Sequence[float]
    task_seconds: Sequence[float]
    width: timedelta
    points: list[Point]

    @property
    def left_bounds(self) -> tuple[float, float] | None:
        """The 95% Wilson interval of the share of decided judgments that preferred the left passage."""
        return wilson(self.left, self.decided)

    @property
    def consistency(self) -> float | None:
        return _ratio_or_none(self.repeated_same, self.repeated)

    @property
    def consistency_bounds(self) -> tuple[float, float] | None:
        """The 95% Wilson interval of the share of repeated pairs with the same answer."""
        return wilson(self.repeated_same, self.repeated)

    @property
    def seconds_per_pair(self) -> float | None:
        return median(self.seconds) if self.seconds else None

    @property
    def seconds_per_task(self) -> float | None:
        return median(self.task_seconds) if self.task_seconds else None

    def hourly(self, reward: Any) -> Any:
        """Return the reward in dollars per hour at the median time of a whole task, or None if no task was timed."""
        return None if self.seconds_per_task is None else hourly(reward, self.seconds_per_task)


def _ratio_or_none(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def course_of(campaign: Campaign) -> Course:
    """Compute the campaign's statistics, in total and over time."""
    begin, end = _time_span(campaign)
    width = width_for(end - begin)
    points = [Point(at=begin + width * place) for place in range(int((end - begin) / width) + 1)]
    unit = "minute" if width < timedelta(hours=1) else "hour" if width < timedelta(days=1) else "day"

    def point(moment: datetime) -> Point:
        place = int((moment - begin) / width)
        return points[max(0, min(place, len(points) - 1))]

    standings, simulated = _count_judgments(campaign, unit, point)
    _count_agreement(campaign, unit, point)
    _count_gold_answers(campaign, unit, point)
    timed, seconds = _screen_times(campaign, point)
    repeated, same = consistency_of_all(campaign)
    imported = standings.get("", 0)
    counted = standings.get(COUNTED, 0)
    if imported:
        counted += Judgment.objects.filter(campaign=campaign, submission=None).counted().count()
    return Course(
        wanted=TaskPair.objects.filter(task__campaign=campaign).count() + imported,
        counted=counted,
        simulated=simulated,
        standings=standings,
        repeated=repeated,
        repeated_same=same,
        timed=timed,
        seconds=seconds,
        task_seconds=elapsed_seconds(_timed_submissions(campaign).filter(left_early=False)),
        width=width,
        points=points,
        **{one.name: sum(getattr(point, one.name) for point in points) for one in fields(Counts)},
    )


def width_for(span: timedelta) -> timedelta:
    """Return the shortest of WIDTHS that divides the span into at most POINTS points, or else the longest."""
    for width in WIDTHS:
        if span.total_seconds() / width < POINTS:
            return timedelta(seconds=width)
    return timedelta(seconds=WIDTHS[-1])


def _time_span(campaign: Campaign) -> tuple[datetime, datetime]:
    """Return the times of the first work (or the launch) and of the last work.

    The first time is rounded down to a multiple of the interval between points.
    """
    moments = Submission.objects.filter(campaign=campaign).exclude(standing=Submission.Standing.TRIAL)
    known = moments.aggregate(first=Min("opened_at"), last=Max("collected_at"))
    first = known["first"] or campaign.launched_at or clock.now()
    last = max(known["last"] or first, first)
    step = width_for(last - first).total_seconds()
    return datetime.fromtimestamp(first.timestamp() // step * step, tz=first.tzinfo), last


def _count_judgments(campaign: Campaign, unit: str, point: PointAt) -> tuple[dict[str, int], int]:
    """Add the counted judgments to their points.

    Returns the numbers of judgments by standing, and the number of judgments by simulated workers.
    """
    rows = (
        Judgment.objects.filter(campaign=campaign)
        .annotate(step=Trunc(Coalesce("judged_at", "recorded_at"), unit))
        .values_list("step", "submission__standing")
        .annotate(
            count=Count("pk"),
            chose_left=Count("pk", filter=Q(preferred=F("left"))),
            chose=Count("preferred"),
            simulated=Count("pk", filter=Q(judge_kind=Judgment.JudgeKind.SIMULATED)),
        )
        .order_by()
    )
    standings: Counter[str] = Counter()
    of_simulated = 0
    for step, standing, count, left, decided, simulated in rows:
        standings[standing or ""] += count
        of_simulated += simulated
        if standing in (COUNTED, None):
            one = point(step)
            one.judgments += count
            one.left += left
            one.decided += decided
    return dict(standings), of_simulated


def _count_agreement(campaign: Campaign, unit: str, point: PointAt) -> None:
    """Count the combinations of two counted judgments of a pair, and those that agree, at their points.

    A combination belongs to the point of its second judgment.
    """
    good = Q(submission__standing=COUNTED) | Q(submission=None)
    if not _judged_twice(campaign, good):
        return
    before = Q(pair__judgments__pk__lt=F("pk")) & (
        Q(pair__judgments__submission__standing=COUNTED) | Q(pair__judgments__submission=None)
    )
    rows = (
        Judgment.objects.filter(good & before, campaign=campaign)
        .annotate(
            step=Trunc(Coalesce("judged_at", "recorded_at"), unit),
            other=F("pair__judgments__preferred"),
            other_grade=F("pair__judgments__grade"),
        )
        .values_list("step")
        .annotate(count=Count("pk"), same=Count("pk", filter=SAME_ANSWER))
        .order_by()
    )
    for step, count, same in rows:
        one = point(step)
        one.twos += count
        one.agreeing += same


def _judged_twice(campaign: Campaign, good: Q) -> bool:
    """Return whether a pair may have two counted judgments. Otherwise, an expensive query can be skipped."""
    if campaign.judgments_per_pair > 1:
        return True
    rows = Judgment.objects.filter(good, campaign=campaign)
    counts = rows.aggregate(all=Count("pk"), pairs=Count("pair", distinct=True))
    return bool(counts["all"] > counts["pairs"])


def _count_gold_answers(campaign: Campaign, unit: str, point: PointAt) -> None:
    """Add the answers on gold pairs to their points, including those of excluded workers.

    Answers on suspended gold pairs are left out.
    """
    answers = GoldAnswer.objects.confirmed().filter(submission__campaign=campaign)
    rows = (
        answers.exclude(gold_pair__state=GoldPair.State.SUSPENDED)
        .annotate(step=Trunc("recorded_at", unit))
        .values_list("step")
        .annotate(count=Count("pk"), good=Count("pk", filter=Q(passed=True)))
        .order_by()
    )
    for step, count, good in rows:
        one = point(step)
        one.gold += count
        one.gold_passed += good


def _screen_times(campaign: Campaign, point: PointAt) -> tuple[int, list[float]]:
    """Return the size of a sample of submissions, and the sorted times in seconds of its pairs on screen.

    The sample is drawn from submissions of workers who are not excluded. Also sets the median time of each point.
    """
    work = _timed_submissions(campaign).order_by("pk")
    keys = list(work.values_list("pk", flat=True))
    keys = keys[:: max(1, math.ceil(len(keys) / TIMED))]
    shown: dict[int, float] = {}
    at: dict[int, datetime] = {}
    rows = Choice.objects.filter(slot__submission__in=keys, seconds_shown__isnull=False)
    for slot, seconds, moment in rows.values_list("slot_id", "seconds_shown", "chosen_at"):
        shown[slot] = shown.get(slot, 0.0) + (seconds or 0.0)
        at[slot] = moment
    by_point: dict[datetime, list[float]] = defaultdict(list)
    for slot, seconds in shown.items():
        by_point[point(at[slot]).at].append(seconds)
    for begin, times in by_point.items():
        point(begin).seconds = median(times)
    return len(keys), sorted(shown.values())


def _timed_submissions(campaign: Campaign) -> QuerySet[Submission]:
    came_in = Submission.objects.filter(campaign=campaign, state=Submission.State.SUBMITTED)
    known = came_in.exclude(standing=Submission.Standing.TRIAL).filter(task__isnull=False)
    return known.exclude(pk__in=submissions_of_excluded(campaign).values("pk"))
