"""Data of the pages that prepare a campaign, step by step."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q

from config.background.models import Job
from config.errors import NotNow, Refusal
from config.guidance import Guidance
from config.plurals import many
from judging.campaign.cost import money, pay_for, quote_tasks
from judging.campaign.gold_pairs import needed_gold
from judging.campaign.read_once import figures_read_once
from judging.campaign.rehearsal_copy import rehearses_here, running_rehearsal, was_rehearsed
from judging.campaign.screening_forecast import assumption_words, outlook_of, rules_compared, slips_of
from judging.campaign.spending_rights import spending_right
from judging.crowds import crowd_at
from judging.jobs import gold_work
from judging.launch.check_results import Checked
from judging.launch.checks import STRATEGIES, each_check
from judging.launch.forecast import Forecast, Pace, forecast_of
from judging.launch.gold_checks import unfit_to_screen
from judging.launch.launches import Terms, amount_to_confirm, plan_offer
from judging.launch.pilot_report import pilot_report
from judging.models import Campaign, GoldPair, Task
from judging.rules.pay import Pay
from pooling.models import Collection, Pool
from web.common.job_progress import Work
from web.common.pair_texts import pilot_gold
from web.common.row_counts import count_by
from web.preparation.forms import SettingsForm
from web.preparation.grading_words import ADVICE_FOR_GRADES, STEPS_FOR_GRADES
from web.preparation.jobs import rehearsals_asked_for

GOLD_A_PAGE = 20
STEPS = {
    "settings": "Settings",
    "gold": "Gold pairs",
    "texts": "Texts",
    "pay": "Pay",
    "rehearsal": "Rehearsal",
    "pilot": "Pilot",
    "check": "Check list",
    "launch": "Launch",
}
#: Check → the step that fixes it, and advice if the check's own text is not enough. Other checks
#: concern the installation.
MENDED = {
    "cost": ("pay", "Raise the budget, lower the pay, or build a pool with fewer queries."),
    "gold": ("gold", "Accept more gold pairs, or lower the number of tasks per worker in the settings."),
    "qualifications": (
        "settings",
        "Open the tasks to all workers, or choose a qualification that the crowd supports.",
    ),
    STRATEGIES: ("gold", ""),
    "screening": ("settings", "Choose another rule for failed gold pairs."),
    "texts": ("texts", "Read and accept the texts. Passages without text need a passage file."),
    "pay": ("pay", "Raise the pay for a task, or reduce the number of pairs in a task."),
    "time": ("settings", ""),
}


@dataclass(frozen=True)
class Step:
    """A step in the list: ``state`` is done, needed, optional or empty."""

    name: str
    title: str
    words: str
    state: str
    now: bool


def preparation_steps(campaign: Campaign, current: str) -> list[Step]:
    """Return every step with its progress in a few words."""
    accepted = campaign.gold_pairs.filter(state=GoldPair.State.ACCEPTED).count()
    needed = needed_gold(campaign)
    piloted = {Campaign.State.PILOTED: "done", Campaign.State.PILOTING: "under way"}.get(
        Campaign.State(campaign.state), ""
    )
    pilot = ("not for simulated workers" if campaign.placeholder_text else "can be skipped", "optional")
    told = {
        "settings": (many(campaign.tasks.count(), "task"), "done"),
        "gold": (
            f"{accepted} accepted" if accepted > needed else f"{accepted} of {needed} accepted",
            "done" if accepted >= needed else "needed",
        ),
        "texts": ("accepted", "done") if campaign.texts_accepted_at else ("not accepted yet", "needed"),
        "pay": (f"${campaign.reward:,.2f} a task", "done"),
        "rehearsal": _rehearsal_progress(campaign),
        "pilot": (piloted, "done" if piloted == "done" else "needed") if piloted else pilot,
        "check": ("", ""),
        "launch": ("", ""),
    }
    titles = step_titles(campaign)
    return [Step(name, title, *told[name], name == current) for name, title in titles.items()]


def _rehearsal_progress(campaign: Campaign) -> tuple[str, str]:
    """Return the rehearsal's progress in a few words, and the state of its step."""
    if running_rehearsal(campaign) or Work(rehearsals_asked_for(campaign).first()).live:
        return "under way", "optional"
    if was_rehearsed(campaign):
        return "done", "done"
    return "can be skipped" if rehearses_here() else "not with this crowd", "optional"


def step_titles(campaign: Campaign) -> dict[str, str]:
    """Return step → title."""
    return STEPS | STEPS_FOR_GRADES if campaign.grading_id else STEPS


def step_after(step: str) -> str:
    """Return the step after this one; the last step is its own successor."""
    names = list(STEPS)
    return names[min(names.index(step) + 1, len(names) - 1)]


def pools_to_choose(collection: Collection) -> list[tuple[str, str]]:
    """Return the pools that a form offers, newest first."""
    pools = Pool.objects.filter(collection=collection).order_by("-pk")
    sized = pools.annotate(queries=Count("pooled_passages__query", distinct=True))
    return [(pool.name, f"{pool.name} ({many(pool.queries, 'query', 'queries')})") for pool in sized]


@dataclass(frozen=True)
class GoldPage:
    """Gold pairs: the next proposal to decide, counts by state, and a page of the pairs in one state."""

    accepted: int
    proposed: int
    dropped: int
    suspended: int
    needed: int
    hard: int
    shown: str
    kind: str
    labels: list[str]
    page: Page[GoldPair]
    now: GoldPair | None
    last: GoldPair | None
    work: Work | None
    unreadable: bool
    """No passage of the pool has a text, and the campaign is for people."""

    @property
    def lacking(self) -> int:
        """Return the number of gold pairs still to be accepted."""
        return max(0, self.needed - self.accepted)


def gold_page(campaign: Campaign, given: Mapping[str, str]) -> GoldPage:
    """Return the page that the URL requests; the oldest proposal comes first."""
    counts = count_by(campaign.gold_pairs.all(), "state")
    shown = given.get("show", "")
    shown = shown if shown in (GoldPair.State.ACCEPTED, GoldPair.State.DROPPED) else GoldPair.State.ACCEPTED
    kind = given.get("kind", "")
    kind = kind if kind in (GoldPair.Kind.EASY, GoldPair.Kind.HARD) else ""
    rows = campaign.gold_pairs.select_related("query", "relevant", "off_topic")
    decided = rows.filter(state=shown, kind=kind) if kind else rows.filter(state=shown)
    job = gold_work(campaign).first()
    last = given.get("last", "")
    return GoldPage(
        accepted=counts[GoldPair.State.ACCEPTED],
        proposed=counts[GoldPair.State.PROPOSED],
        dropped=counts[GoldPair.State.DROPPED],
        suspended=counts[GoldPair.State.SUSPENDED],
        needed=needed_gold(campaign),
        hard=rows.filter(state=GoldPair.State.ACCEPTED, kind=GoldPair.Kind.HARD).count(),
        shown=shown,
        kind=kind,
        labels=_label_sets(campaign),
        page=Paginator(decided.order_by("pk"), GOLD_A_PAGE).get_page(given.get("page")),
        now=rows.filter(state=GoldPair.State.PROPOSED).order_by("pk").first(),
        last=rows.filter(pk=int(last)).exclude(state=GoldPair.State.PROPOSED).first()
        if last.isascii() and last.isdigit() and len(last) < 18
        else None,
        work=Work(job) if job else None,
        unreadable=not campaign.placeholder_text
        and campaign.pool is not None
        and not campaign.pool.pooled_passages.exclude(passage__text=None).exists(),
    )


def _label_sets(campaign: Campaign) -> list[str]:
    """Return the collection's qrel sets, the best sources of gold pairs first; empty without a pool.

    Gold pairs from passages labeled not relevant look like real pairs. Otherwise the pool's set comes first.
    """
    if campaign.pool is None:
        return []
    not_relevant = Count("qrels", filter=Q(qrels__grade__lt=F("min_grade")))
    sets = campaign.collection.passage_labels().annotate(not_relevant=not_relevant).order_by("name")
    own = campaign.pool.qrel_set_id
    ordered = sorted(sets, key=lambda one: (-one.not_relevant, one.pk != own))
    return [one.name for one in ordered]


@dataclass(frozen=True)
class PayForecast:
    """The effects of a pay setting, per worker and in total."""

    pay: Pay
    fee: Decimal
    forecast: Forecast
    committed: Decimal
    budget: Decimal | None
    least: Decimal | None

    @property
    def enough(self) -> bool:
        """Return whether the expected pay reaches the promised minimum."""
        return self.least is None or self.forecast.hourly >= self.least

    @property
    def short(self) -> bool:
        """Return whether the budget does not cover the cost without repeats."""
        return self.budget is not None and self.budget < self.forecast.quote.total + self.committed


def pay_forecast(campaign: Campaign) -> PayForecast:
    """Return the pay forecast for a campaign that may have unsaved settings."""
    pay = pay_for(campaign)
    fees = crowd_at(campaign.crowd, campaign.endpoint).fees
    return PayForecast(
        pay=pay,
        fee=fees.on(pay.base) + fees.on(pay.bonus),
        forecast=forecast_of(campaign, Pace()),
        committed=money(campaign)["committed"],
        budget=campaign.budget,
        least=campaign.minimum_hourly,
    )


@dataclass(frozen=True)
class RehearsalPage:
    """The latest rehearsal, and the existing copies."""

    work: Work | None
    result: dict[str, Any] | None
    copies: list[Campaign]


def rehearsal_page(campaign: Campaign) -> RehearsalPage:
    """Return a rehearsal's progress or forecast."""
    asked = rehearsals_asked_for(campaign)
    job = asked.first()
    done = asked.filter(state=Job.State.DONE).first()
    return RehearsalPage(
        work=Work(job) if job else None,
        result=done.result if done else None,
        copies=list(campaign.rehearsals.order_by("-pk")),
    )


def rehearsal_context(campaign: Campaign) -> dict[str, Any]:
    """Return the rehearsals' page, with the time that people would need for the tasks of the latest rehearsal."""
    page = rehearsal_page(campaign)
    forecast = forecast_of(campaign, Pace())
    result = page.result or {}
    submitted = result.get("foreseen", result.get("submitted", 0))
    hours = submitted * forecast.seconds_per_task / 3600
    days = math.ceil(hours / (Pace().people * Pace().hours_a_day))
    return {
        "page": page,
        "hours": hours,
        "days": days,
        "minutes": forecast.seconds_per_task / 60,
        "foreseen": outlook_of(campaign).costs(quote_tasks(campaign, campaign.tasks.count()).total),
        "slips": slips_of(campaign),
        "rehearses_here": rehearses_here(),
        "crowd": settings.CROWD_ENDPOINT,
    }


def has_weak_screening(campaign: Campaign) -> bool:
    """Return whether workers who do not read can pass, and nobody has accepted that yet."""
    accepted = campaign.accept_weak_screening or campaign.placeholder_text
    return not accepted and bool(unfit_to_screen(campaign))


def pilot_page(campaign: Campaign, tasks: int, user: Any) -> dict[str, Any]:
    """Return the cost of a pilot with this number of tasks, and the latest pilot's results."""
    left = campaign.tasks.exclude(state=Task.State.DONE).count()
    report = pilot_report(campaign)
    return {
        "tasks_left": left,
        "tasks": tasks,
        "amount": amount_to_confirm(campaign, tasks) if 1 <= tasks <= left else None,
        "pilot": report,
        "pilot_gold": pilot_gold(campaign, report.gold) if report else [],
        "under_way": campaign.state == Campaign.State.PILOTING,
        "right": spending_right(user, campaign.collection),
    }


@dataclass(frozen=True)
class ShownCheck:
    """A check, with the steps that fix it and advice."""

    check: Checked
    steps: tuple[tuple[str, str], ...] = ()
    """Steps that fix it, each with its title."""
    advice: str = ""


@dataclass(frozen=True)
class CheckPage:
    """All checks, or the reason why there is nothing to launch."""

    checks: list[ShownCheck] = field(default_factory=list)
    refusal: Refusal | None = None

    @property
    def failed(self) -> int:
        """Return the number of checks that did not pass."""
        return sum(not one.check.passed for one in self.checks)

    @property
    def attention(self) -> list[ShownCheck]:
        """Return checks that passed but need attention before the launch."""
        return [one for one in self.checks if one.check.attention]

    @property
    def weak(self) -> bool:
        """Return whether only weak screening, which a person can accept, prevents a launch."""
        return self.failed == 1 and any(
            not one.check.passed and one.check.name == STRATEGIES for one in self.checks
        )

    @property
    def ready(self) -> bool:
        """Return whether a launch would succeed."""
        return self.refusal is None and not self.failed


def check_page(campaign: Campaign, user: Any, *, accept_weak: bool = False) -> CheckPage:
    """Return the full check list for a launch by this person, who may accept weak screening."""
    left = campaign.tasks.exclude(state=Task.State.DONE).count()
    terms = Terms(confirm_spend=amount_to_confirm(campaign), accept_weak_screening=accept_weak)
    try:
        checks = each_check(plan_offer(campaign, left, terms, by=user))
    except NotNow:
        raise
    except Refusal as refusal:
        return CheckPage(refusal=refusal)
    return CheckPage([_check_with_step(one, campaign) for one in checks])


def _check_with_step(check: Checked, campaign: Campaign) -> ShownCheck:
    if check.passed and not check.next_step:
        return ShownCheck(check)
    if check.name not in MENDED:
        return ShownCheck(check, advice=check.next_step)
    step, advice = MENDED[check.name]
    advice = ADVICE_FOR_GRADES.get(check.name, advice) if campaign.grading_id else advice
    steps = ["settings", step] if not advice and _names_a_setting(check.next_step) else [step]
    titles = step_titles(campaign)
    return ShownCheck(
        check, tuple((one, titles[one]) for one in dict.fromkeys(steps)), advice or check.next_step
    )


def _names_a_setting(advice: str) -> bool:
    options = advice.options if isinstance(advice, Guidance) else ()
    return any(option.replace("-", "_") in SettingsForm.base_fields for option in options)


@figures_read_once()
def rule_comparison(campaign: Campaign) -> dict[str, Any]:
    """Return the comparison of screening rules, its assumptions, and any rule better than the chosen one."""
    rows = rules_compared(campaign)
    chosen = next((row for row in rows if row.rule == campaign.screen), None)
    better = next((row for row in rows if row.recommended), None)
    return {
        "rules": rows,
        "rules_assume": assumption_words(campaign),
        "chosen_rule": chosen,
        "better_rule": better if better is not chosen and campaign.gold_per_task else None,
    }


@figures_read_once()
def check_list_page(campaign: Campaign, user: Any) -> dict[str, Any]:
    """Return the check list and the comparison of screening rules."""
    return {"page": check_page(campaign, user), **rule_comparison(campaign)}


@figures_read_once()
def launch_page(campaign: Campaign, user: Any) -> dict[str, Any]:
    """Return the cost of a launch."""
    return {
        "page": check_page(campaign, user, accept_weak=True),
        "weak": has_weak_screening(campaign),
        **rule_comparison(campaign),
        "right": spending_right(user, campaign.collection),
        "amount": amount_to_confirm(campaign),
        "told": pay_forecast(campaign),
        "rehearsed": was_rehearsed(campaign),
        "pilot": pilot_report(campaign),
    }
