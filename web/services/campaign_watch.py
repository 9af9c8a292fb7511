"""A campaign's page: how it goes now, how it went, and what needs a person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q
from django.urls import reverse

from config import clock, kept_objects
from config.background.failures import failure_of
from config.background.models import Job
from config.background.registry import in_words
from config.plurals import many
from judging.models import Campaign, CampaignChange, Discrepancy, Exclusion, GoldPair, Place, Submission, Task
from judging.services import reconciling, voices
from judging.services.budget import budget_low, cap_of
from judging.services.cost import quote_tasks
from judging.services.course import Course, course_of
from judging.services.freshness import Kept, kept
from judging.services.payments import money
from judging.services.pilot_report import pilot_report
from judging.services.putting_away import AGAIN
from judging.services.status import (
    failed_in_words,
    failed_work,
    is_complete,
    problems_of_the_crowd,
    put_off_work,
    what_comes_next,
)
from judging.services.watchdog import stalled
from judging.services.worker_records import active_workers
from tournament.models import Challenge, QrelVersion, Resolution
from web.services.course_figures import figures_of
from web.services.directions import Direction, judged, next_of
from web.services.needs import NEWS, Need, flag_needs
from web.services.outdated import Outdated, needs_somebody, outdated
from web.services.pair_texts import pilot_gold

#: Who opened or sent off something within this time is active.
ACTIVE = timedelta(minutes=15)
#: The pace is that of so long a time, so that it knows of nights.
PACE = timedelta(hours=24)
STALLED_SECONDS = 30
CHANGES_SHOWN = 8
CHANGES_A_PAGE = 50
DIFFERENCES = {
    "only_there": "are in the crowd's list, but our page did not save all of their choices",
    "only_here": "were sent off from our page and are not in the crowd's list",
    "different": "carry other answers in the crowd's form than were clicked on our page",
}
RESOLVED = ("queries", "closed", "open", "singletons", "tied", "cycles")


@dataclass(frozen=True)
class Watch:
    """How a campaign stands at ``now``. Dollars with fees; ``cap`` None: nothing limits it but the tasks."""

    campaign: Campaign
    now: datetime
    counted_at: datetime
    course: Course
    tasks: dict[str, int]
    places: dict[str, int]
    spent: Decimal
    owed: Decimal
    held: Decimal
    promised: Decimal
    cap: Decimal | None
    needed: Decimal
    active: int
    workers: int
    excluded: int
    withdrawn: int
    pace: float | None
    ends_at: datetime | None
    crowd: list[str]
    put_off: list[str]
    failed: list[Job]
    next: Direction

    @property
    def problems(self) -> list[str]:
        """What the crowd refused, what waits for money or the crowd, and jobs that failed."""
        return [*self.crowd, *self.put_off, *map(failed_in_words, self.failed)]

    @property
    def all_tasks(self) -> int:
        return sum(self.tasks.values())

    @property
    def used(self) -> Decimal:
        """Dollars that are paid or owed."""
        return self.spent + self.owed

    @property
    def budget(self) -> Decimal:
        """What spending is set against: the cap, or what everything comes to."""
        return self.needed if self.cap is None else self.cap

    @property
    def hourly(self) -> Decimal | None:
        """Dollars an hour at the median time of a whole task."""
        return self.course.hourly(self.campaign.reward)

    @property
    def imported(self) -> bool:
        """Whether its judgments were made elsewhere, so that it asks nobody."""
        return self.campaign.pool_id is None

    @property
    def moving(self) -> bool:
        """Whether it may change while somebody looks."""
        return self.campaign.state in (*Campaign.OFFERING, Campaign.State.PAUSED, Campaign.State.CLOSING)

    @property
    def words(self) -> str:
        """What is read aloud when it changes."""
        return (
            f"{self.campaign.label}: {self.course.counted:,} of {self.course.wanted:,} judgments, "
            f"{self.tasks.get('done', 0):,} of {self.all_tasks:,} tasks done."
        )


def watch(campaign: Campaign) -> Watch:
    """The campaign's figures; those over all judgments may be a few seconds old (``counted_at``)."""
    now = clock.now()
    known: Kept[Course] = kept(campaign, "course", lambda: course_of(campaign))
    sums, tasks = money(campaign), _states(campaign.tasks, Task.State.values)
    undone = sum(tasks.values()) - tasks[Task.State.DONE]
    pace = _pace(known.made, now) if campaign.launched_at else None
    ends = None
    left = known.made.wanted - known.made.counted
    if campaign.state in Campaign.OFFERING and pace and left > 0:
        ends = now + timedelta(hours=min(left / pace, 24 * 365))
    exclusions = Exclusion.objects.standing().filter(campaign=campaign)
    out = exclusions.aggregate(all=Count("pk"), withdrawn=Count("pk", filter=Q(rule=Exclusion.WITHDRAWN)))
    return Watch(
        campaign=campaign,
        now=now,
        counted_at=known.at,
        course=known.made,
        tasks=tasks,
        places=_states(Place.objects.filter(posting__campaign=campaign), Place.State.values),
        spent=sums["spent"],
        owed=sums["owed"],
        held=sums["held"],
        promised=sums["promised"],
        cap=cap_of(campaign),
        needed=sums["spent"] + sums["owed"] + sums["held"] + quote_tasks(campaign, undone).total,
        active=active_workers(campaign, now - ACTIVE),
        workers=_workers(campaign),
        excluded=out["all"] - out["withdrawn"],
        withdrawn=out["withdrawn"],
        pace=pace,
        ends_at=ends,
        crowd=(crowd := problems_of_the_crowd(campaign)),
        put_off=(put_off := put_off_work(campaign, crowd)),
        failed=(failed := failed_work(campaign, crowd)),
        next=_next(campaign, known.made, [*crowd, *put_off, *map(failed_in_words, failed)]),
    )


def campaign_page(campaign: Campaign, *, everything: bool, publishes: bool = False) -> dict[str, Any]:
    """All that a campaign's page shows: ``everything`` to members; a person who ``publishes`` is asked to do so."""
    seen = watch(campaign)
    resolution = Resolution.objects.filter(campaign=campaign).first()
    versions = list(QrelVersion.objects.filter(campaign=campaign).defer("manifest").order_by("-number"))
    members = {campaign.collection_id} if everything else set()
    said = outdated([campaign.collection], members).get(campaign.collection_id) if versions else None
    to_do = _version_needs(campaign, said) if publishes else []
    return {
        "campaign": campaign,
        "watch": seen,
        "course": seen.course,
        "figures": figures_of(seen.course, seen.now, over=not seen.moving),
        "sees_everything": everything,
        "needs": [*needs_of_campaign(seen), *to_do] if everything else [],
        "outdated": None if to_do else said,
        "pilot": (pilot := pilot_report(campaign) if everything else None),
        "pilot_gold": pilot_gold(campaign, pilot.gold) if pilot else [],
        "resolution": resolution,
        "queries": [(key, resolution.summary.get(key)) for key in RESOLVED] if resolution else [],
        "challenges": list(Challenge.objects.filter(campaign=campaign).order_by("number")),
        "versions": versions,
        "changes": list(_changes(campaign)[:CHANGES_SHOWN]) if everything else [],
    }


def activity_page(campaign: Campaign, parameters: Any) -> dict[str, Any]:
    """The log, newest first: who did what and why; ``q`` searches all three."""
    found = parameters.get("q", "").replace("\0", "").strip()
    rows = _changes(campaign)
    if found:
        rows = rows.filter(Q(what__icontains=found) | Q(why__icontains=found) | Q(who__icontains=found))
    page: Page[CampaignChange] = Paginator(rows, CHANGES_A_PAGE).get_page(parameters.get("page"))
    return {"campaign": campaign, "found": found, "page": page}


def needs_of_campaign(seen: Watch) -> list[Need]:
    """What a person has to look at, the most urgent first."""
    campaign = seen.campaign
    overdue, said = _voice_needs(campaign)
    return [
        *overdue,
        *_crowd_needs(seen),
        *(Need("attention", one, "", _ask_again(campaign)) for one in seen.put_off),
        *_failed_needs(seen),
        *_stalled_needs(campaign, seen.problems),
        *_money_needs(seen),
        *said,
        *_gold_needs(campaign),
        *flag_needs(campaign),
        *_difference_needs(campaign),
    ]


def _crowd_needs(seen: Watch) -> list[Need]:
    """What the crowd said; what it refused for good is asked again when a person says so, by a button."""
    link, typed = _ask_again(seen.campaign), f" Then: manage.py ask_again {seen.campaign.name}."
    return [
        Need("stop", one.replace(typed, ""), "", link if "ask_again" in one else "") for one in seen.crowd
    ]


def _failed_needs(seen: Watch) -> list[Need]:
    """Work in the background that failed; a person puts it away, or has it tried again."""
    return [
        Need(
            "stop",
            f"{in_words(job.kind).capitalize()} failed: {failure.message}",
            failure.next_step,
            work=job.pk,
            again=job.kind in AGAIN,
        )
        for job in seen.failed
        if (failure := failure_of(job))
    ]


def _ask_again(campaign: Campaign) -> str:
    return reverse("web:campaign_ask_again", args=[campaign.name])


def _stalled_key(campaign: Campaign) -> str:
    return kept_objects.key_of("stalled", campaign.pk, campaign.created_at.timestamp(), campaign.state)


def look_again(campaign: Campaign) -> None:
    """What stands still is looked for anew when the page is shown next."""
    kept_objects.forget(_stalled_key(campaign))


def _stalled_needs(campaign: Campaign, told: list[str]) -> list[Need]:
    """What has not moved in its time, without failures that are among the problems ``told`` already."""
    key = _stalled_key(campaign)
    found = kept_objects.read(key)
    if found is None:
        found = [(one.what, one.why, one.next_step) for one in stalled(campaign)]
        kept_objects.keep(key, found, STALLED_SECONDS)
    link = _ask_again(campaign)
    return [
        Need("stop", f"{what}, not moved: {why}", said, link if "manage.py collect" in said else "")
        for what, why, said in found
        if not any(why.removeprefix("It failed: ").removeprefix("It was put off: ") in one for one in told)
    ]


def _money_needs(seen: Watch) -> list[Need]:
    """The budget is low: it does not pay for the tasks that are left."""
    campaign, undone = seen.campaign, seen.all_tasks - seen.tasks[Task.State.DONE]
    low = budget_low(campaign, used=seen.used + seen.held, undone=undone)
    if low is None or any("raise_budget" in one for one in seen.crowd):  # used up: said already
        return []
    return [
        Need(
            "attention",
            f"The budget is low: ${low.cap:,.2f} do not pay for all tasks, which come to ${low.needed:,.2f}.",
            "Raise it, or let the campaign stop when it is used up.",
            reverse("web:campaign_budget", args=[campaign.name]),
            "Change the budget",
        )
    ]


def _voice_needs(campaign: Campaign) -> tuple[list[Need], list[Need]]:
    """What workers say: with overdue answers, and without."""
    link = reverse("web:campaign_reports", args=[campaign.name])
    words = {"appeals": "object to being refused", "reports": "say that something is wrong with a pair"}
    needs: tuple[list[Need], list[Need]] = ([], [])
    for kind, counts in voices.waiting([campaign]).items():
        if count := counts[campaign.pk]:
            late = voices.overdue_words(campaign) if kind == "appeals" else ""
            what = f"{many(count, kind[:-1])}: workers {words[kind]}."
            level = "stop" if late else "attention"
            needs[not late].append(Need(level, what, late, f"{link}#{kind}", f"Look at the {kind}"))
    return needs


def _gold_needs(campaign: Campaign) -> list[Need]:
    since = clock.now() - NEWS
    by_itself = GoldPair.objects.filter(campaign=campaign, state=GoldPair.State.SUSPENDED, decided_by="")
    fresh = list(by_itself.filter(decided_at__gte=since).select_related("query").order_by("-decided_at")[:20])
    return [
        Need(
            "attention",
            f"Test pair {one.pk} (query {one.query.qid}) was suspended by itself: {one.decided_why}.",
            "Exclusions that rested on it alone were taken back. Look whether its answer is plain to anybody.",
            reverse("web:campaign_gold", args=[campaign.name]),
            "Look at the test pairs",
        )
        for one in fresh
    ]


def _difference_needs(campaign: Campaign) -> list[Need]:
    return [
        Need(
            "attention",
            f"{many(count, 'submission')} {DIFFERENCES[kind]}.",
            reconciling.NEXT_STEPS[Discrepancy.Kind(kind)],
            reverse("web:campaign_differences", args=[campaign.name]),
            "Look at them",
        )
        for kind, count in reconciling.counts(campaign).items()
        if count
    ]


def _version_needs(campaign: Campaign, said: Outdated | None) -> list[Need]:
    if said is None or not needs_somebody(said, campaign):
        return []
    link = reverse("web:publish", args=[campaign.name])
    return [Need("attention", said.words, said.effect, link, "Preview the next version")]


def _states(rows: Any, names: list[str]) -> dict[str, int]:
    counts = dict(rows.values_list("state").annotate(Count("pk")).order_by())
    return {str(name): counts.get(name, 0) for name in names}


def _workers(campaign: Campaign) -> int:
    work = Submission.objects.filter(campaign=campaign).exclude(standing=Submission.Standing.TRIAL)
    return work.values("worker").distinct().count()


def _pace(course: Course, now: datetime) -> float | None:
    """Counted judgments an hour over the last day, or since the first when that is shorter."""
    recent = [point for point in course.points if point.at + course.width > now - PACE]
    judgments = sum(point.judgments for point in recent)
    if not judgments:
        return None
    hours = (now - recent[0].at).total_seconds() / 3600
    return judgments / max(hours, 1 / 60)


def _next(campaign: Campaign, course: Course, found: list[str]) -> Direction:
    """What the person does next, and where."""
    if campaign.pool_id is None and course.counted:
        return judged(campaign)
    if campaign.pool_id is not None:
        if said := next_of(campaign):
            return said
        if campaign.state in Campaign.OFFERING and not found and is_complete(campaign):
            return judged(campaign)
    status: dict[str, Any] = {
        "problems": found,
        "judgments": {"wanted": course.wanted, "counted": course.counted},
    }
    if campaign.state == Campaign.State.PILOTING and (report := pilot_report(campaign)):
        status["pilot"] = report.as_dict()
    if campaign.state == Campaign.State.OPEN and not found:
        left = max(0, course.wanted - course.counted)
        return Direction(f"Workers judge; {many(left, 'judgment is', 'judgments are')} still to come.")
    return Direction(what_comes_next(campaign, status))


def _changes(campaign: Campaign) -> Any:
    return CampaignChange.objects.filter(campaign=campaign).order_by("-happened_at", "-pk")
