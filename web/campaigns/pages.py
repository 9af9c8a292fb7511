"""A campaign's page: its state, its history, and the items that need a person."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q
from django.urls import reverse

from accounts.roles import Role, permits
from config import clock, kept_objects
from config.background.failures import failure_of
from config.background.job_kinds import kind_words
from config.background.models import Job
from config.guidance import Guidance, joined
from config.plurals import many
from judging.campaign.cost import money, quote_tasks
from judging.exchange.cached_figures import Kept, kept_figures
from judging.intake.worker_records import active_workers
from judging.launch.pilot_report import pilot_report
from judging.models import Campaign, CampaignChange, Discrepancy, Exclusion, Place, Submission, Task
from judging.money import discrepancies
from judging.money.budget import budget_low, cap_of
from judging.people import appeal_answers
from judging.watching.blockers import Problem, failed_work, problems_of_the_crowd, put_off_work
from judging.watching.failed_jobs import AGAIN
from judging.watching.history import Course, course_of
from judging.watching.watchdog import cause_of, stalled_work
from tournament.models import Challenge, QrelVersion, Resolution
from web.campaigns.needs import (
    CampaignNeed,
    budget_direction,
    flag_needs,
    is_used_up,
    next_direction,
    suspended_lately,
)
from web.campaigns.progress_figures import course_figures
from web.common.directions import Direction
from web.common.outdated_versions import Outdated, outdated_notices, should_publish_again
from web.common.pair_texts import pilot_gold
from web.common.row_counts import count_by
from web.versions.next_version import RULES

#: A worker is active who opened or submitted a task within this time, or holds one, and is not excluded.
ACTIVE = timedelta(minutes=15)
#: The pace is measured over this time, so that it includes nights.
PACE = timedelta(hours=24)
STALLED_SECONDS = 30
CHANGES_SHOWN = 8
CHANGES_A_PAGE = 50
DIFFERENCES = {
    "only_there": "listed by the crowd, but with choices that our page did not save",
    "only_here": "submitted on our page but not in the crowd's list",
    "different": "with answers in the crowd's form that differ from those clicked on our page",
}
RESOLVED = ("queries", "closed", "open", "singletons", "tied", "cycles")


@dataclass(frozen=True)
class Watch:
    """A campaign's counts and amounts at ``now``. Amounts are dollars with fees.

    ``cap`` is the most that can be spent; if it is None, only the number of tasks limits spending.
    """

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
    crowd: list[Problem]
    put_off: list[Problem]
    failed: list[Job]
    next: Direction

    @property
    def causes(self) -> set[str]:
        failures = [failure.message for job in self.failed if (failure := failure_of(job))]
        return {one.cause for one in (*self.crowd, *self.put_off)} | set(map(cause_of, failures))

    @property
    def all_tasks(self) -> int:
        return sum(self.tasks.values())

    @property
    def used(self) -> Decimal:
        """The dollars that are paid or owed."""
        return self.spent + self.owed

    @property
    def budget(self) -> Decimal:
        """The amount with which spending is compared: the cap, or without a cap, the total cost of all tasks."""
        return self.needed if self.cap is None else self.cap

    @property
    def hourly(self) -> Decimal | None:
        """Dollars per hour at the median time of a whole task."""
        return self.course.hourly(self.campaign.reward)

    @property
    def imported(self) -> bool:
        """Whether the campaign's judgments were imported; it then offers no tasks."""
        return self.campaign.pool_id is None

    @property
    def moving(self) -> bool:
        """Whether the counts can change while somebody views the page."""
        return self.campaign.state in (*Campaign.OFFERING, Campaign.State.PAUSED, Campaign.State.CLOSING)

    @property
    def words(self) -> str:
        """The state and progress in a sentence, which screen readers announce when it changes."""
        return (
            f"{self.campaign.label}: {self.course.counted:,} of {self.course.wanted:,} judgments, "
            f"{self.tasks.get('done', 0):,} of {self.all_tasks:,} tasks done."
        )


def watch(campaign: Campaign) -> Watch:
    """Return the campaign's counts and amounts. Counts over all judgments may be seconds old (``counted_at``)."""
    now = clock.now()
    known: Kept[Course] = kept_figures(campaign, "course", lambda: course_of(campaign))
    sums, tasks = money(campaign), _counts_by_state(campaign.tasks, Task.State.values)
    undone = sum(tasks.values()) - tasks[Task.State.DONE]
    pace = _judgments_per_hour(known.made, campaign.closed_at or now) if campaign.launched_at else None
    ends = None
    left = known.made.wanted - known.made.counted
    if campaign.state in Campaign.OFFERING and pace and left > 0:
        ends = now + timedelta(hours=min(left / pace, 24 * 365))
    crowd = problems_of_the_crowd(campaign)
    put_off, failed = put_off_work(campaign, crowd), failed_work(campaign, crowd)
    active = active_workers(campaign, now - ACTIVE)
    if is_used_up(crowd):
        step = budget_direction(campaign)
    else:
        step = next_direction(campaign, known.made, active=active, stopped=bool(crowd or put_off or failed))
    exclusions = Exclusion.objects.standing().filter(campaign=campaign)
    out = exclusions.aggregate(all=Count("pk"), withdrawn=Count("pk", filter=Q(rule=Exclusion.WITHDRAWN)))
    return Watch(
        campaign=campaign,
        now=now,
        counted_at=known.at,
        course=known.made,
        tasks=tasks,
        places=_counts_by_state(Place.objects.filter(posting__campaign=campaign), Place.State.values),
        spent=sums["spent"],
        owed=sums["owed"],
        held=sums["held"],
        promised=sums["promised"],
        cap=cap_of(campaign),
        needed=sums["spent"] + sums["owed"] + sums["held"] + quote_tasks(campaign, undone).total,
        active=active,
        workers=_worker_count(campaign),
        excluded=out["all"] - out["withdrawn"],
        withdrawn=out["withdrawn"],
        pace=pace,
        ends_at=None if step.is_step else ends,  # nothing continues until a person acts
        crowd=crowd,
        put_off=put_off,
        failed=failed,
        next=step,
    )


def campaign_watch_page(campaign: Campaign, role: Role | None) -> dict[str, Any]:
    """Return the data of a campaign's page for somebody with this role in its collection."""
    seen = watch(campaign)
    everything = permits(role, "see everything")
    resolution = Resolution.objects.filter(campaign=campaign).first()
    versions = list(QrelVersion.objects.filter(campaign=campaign).defer("manifest").order_by("-number"))
    challenges = Challenge.objects.filter(campaign=campaign)
    members = {campaign.collection_id} if everything else set()
    said = outdated_notices([campaign.collection], members).get(campaign.collection_id) if versions else None
    to_do = _version_needs(campaign, said) if permits(role, "publish version") else []
    return {
        "campaign": campaign,
        "watch": seen,
        "next": seen.next.for_role(role),
        "course": seen.course,
        "figures": course_figures(seen.course, seen.now, over=not seen.moving, graded=campaign.grades > 0),
        "sees_everything": everything,
        "first_version": not QrelVersion.objects.filter(collection=campaign.collection).exists(),
        "needs": [*needs_of_campaign(seen), *to_do] if everything else [],
        "outdated": None if to_do else said,
        "pilot": (pilot := pilot_report(campaign) if everything else None),
        "pilot_gold": pilot_gold(campaign, pilot.gold) if pilot else [],
        "resolution": resolution,
        "queries": [(key, resolution.summary.get(key)) for key in RESOLVED] if resolution else [],
        "challenges": [(one, dict(RULES)[Challenge.Rule(one.rule)]) for one in challenges.order_by("number")],
        "versions": versions,
        "changes": list(_change_log(campaign)[:CHANGES_SHOWN]) if everything else [],
    }


def activity_page(campaign: Campaign, parameters: Any) -> dict[str, Any]:
    """Return a page of the campaign's log, newest first. The parameter ``q`` searches actors, actions and reasons."""
    found = parameters.get("q", "").replace("\0", "").strip()
    rows = _change_log(campaign)
    if found:
        rows = rows.filter(Q(what__icontains=found) | Q(why__icontains=found) | Q(who__icontains=found))
    page: Page[CampaignChange] = Paginator(rows, CHANGES_A_PAGE).get_page(parameters.get("page"))
    return {"campaign": campaign, "found": found, "page": page}


def needs_of_campaign(seen: Watch) -> list[CampaignNeed]:
    """Return the items that need a person, most urgent first."""
    campaign = seen.campaign
    overdue, said = _voice_needs(campaign)
    return [
        *overdue,
        *_crowd_needs(seen),
        *(CampaignNeed("attention", one.what, "", _ask_again(campaign)) for one in seen.put_off),
        *_failed_needs(seen),
        *_stalled_needs(campaign, seen.causes),
        *_money_needs(seen),
        *said,
        *_gold_needs(campaign),
        *flag_needs(campaign),
        *_difference_needs(campaign),
    ]


def _crowd_needs(seen: Watch) -> list[CampaignNeed]:
    """Return the crowd's problems. Calls that the crowd refused permanently are retried only if a person asks."""
    link = _ask_again(seen.campaign)
    return [CampaignNeed("stop", one.what, one.next_step, link if one.again else "") for one in seen.crowd]


def _failed_needs(seen: Watch) -> list[CampaignNeed]:
    """Return the campaign's failed jobs, which a person can hide or, if it is safe, retry."""
    return [
        CampaignNeed(
            "stop",
            joined(" ", [f"{kind_words(job.kind).capitalize()} failed:", failure.message]),
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
    return kept_objects.object_key("stalled", campaign.pk, campaign.created_at.timestamp(), campaign.state)


def forget_stalled_work(campaign: Campaign) -> None:
    """Discard the cached list of stalled work, so that the next page view checks again."""
    kept_objects.forget_object(_stalled_key(campaign))


def _stalled_needs(campaign: Campaign, told: set[str]) -> list[CampaignNeed]:
    """Return the campaign's stalled work, except work whose cause is in ``told``, so that no cause is shown twice."""
    key = _stalled_key(campaign)
    found = kept_objects.kept(key)
    if found is None:
        found = stalled_work(campaign)
        kept_objects.keep_object(key, found, STALLED_SECONDS)
    link = _ask_again(campaign)
    return [
        CampaignNeed(
            "stop",
            joined(" ", [f"{one.what}, stalled:", one.why]),
            one.next_step,
            link if Guidance(one.next_step).asks_for("collect") else "",
        )
        for one in found
        if not one.cause or one.cause not in told
    ]


def _money_needs(seen: Watch) -> list[CampaignNeed]:
    """Return a warning if the budget does not pay for the remaining tasks."""
    campaign, undone = seen.campaign, seen.all_tasks - seen.tasks[Task.State.DONE]
    low = budget_low(campaign, used=seen.used + seen.held, undone=undone)
    if low is None or is_used_up(seen.crowd):
        return []
    return [
        CampaignNeed(
            "attention",
            f"The budget is low: ${low.cap:,.2f} of the ${low.needed:,.2f} that all tasks cost.",
            "Raise it, or let the campaign stop when it is used up.",
            reverse("web:campaign_budget", args=[campaign.name]),
            "Change the budget",
        )
    ]


def _voice_needs(campaign: Campaign) -> tuple[list[CampaignNeed], list[CampaignNeed]]:
    """Return a campaign's appeals and reports as two lists: overdue items, and all others."""
    link = reverse("web:campaign_reports", args=[campaign.name])
    words = {
        "appeals": "object to being refused tasks",
        "reports": "report that something is wrong with a pair",
    }
    needs: tuple[list[CampaignNeed], list[CampaignNeed]] = ([], [])
    for kind, counts in appeal_answers.waiting([campaign]).items():
        if count := counts[campaign.pk]:
            late = appeal_answers.overdue_words(campaign) if kind == "appeals" else ""
            what = f"{many(count, kind[:-1])}: workers {words[kind]}."
            level = "stop" if late else "attention"
            needs[not late].append(CampaignNeed(level, what, late, f"{link}#{kind}", f"Look at the {kind}"))
    return needs


def _gold_needs(campaign: Campaign) -> list[CampaignNeed]:
    gold = campaign.gold_words
    fresh = list(suspended_lately([campaign]).select_related("query").order_by("-decided_at")[:20])
    return [
        CampaignNeed(
            "attention",
            f"{gold.capitalize()} {one.pk} (query {one.query.qid}) was suspended automatically: {one.decided_why}.",
            "Exclusions that depended only on it were revoked. Check whether its answer is obvious.",
            reverse("web:campaign_gold", args=[campaign.name]),
            f"Look at the {gold}s",
        )
        for one in fresh
    ]


def _difference_needs(campaign: Campaign) -> list[CampaignNeed]:
    return [
        CampaignNeed(
            "attention",
            f"{many(count, 'submission')} {DIFFERENCES[kind]}.",
            discrepancies.NEXT_STEPS[Discrepancy.Kind(kind)],
            reverse("web:campaign_differences", args=[campaign.name]),
            "Look at them",
        )
        for kind, count in discrepancies.count_open_differences(campaign).items()
        if count
    ]


def _version_needs(campaign: Campaign, said: Outdated | None) -> list[CampaignNeed]:
    if said is None or not should_publish_again(said, campaign):
        return []
    link = reverse("web:publish", args=[campaign.name])
    return [CampaignNeed("attention", said.words, said.effect, link, "Preview the next version")]


def _counts_by_state(rows: Any, names: list[str]) -> dict[str, int]:
    counts = count_by(rows, "state")
    return {str(name): counts[name] for name in names}


def _worker_count(campaign: Campaign) -> int:
    work = Submission.objects.filter(campaign=campaign).exclude(standing=Submission.Standing.TRIAL)
    return work.values("worker").distinct().count()


def _judgments_per_hour(course: Course, end: datetime) -> float | None:
    """Return counted judgments per hour over the day before ``end``, or since the first judgment if that is later."""
    recent = [point for point in course.points if point.at + course.width > end - PACE]
    judgments = sum(point.judgments for point in recent)
    if not judgments:
        return None
    hours = (end - recent[0].at).total_seconds() / 3600
    return judgments / max(hours, 1 / 60)


def _change_log(campaign: Campaign) -> Any:
    return CampaignChange.objects.filter(campaign=campaign).order_by("-happened_at", "-pk")
