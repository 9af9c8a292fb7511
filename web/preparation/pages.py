"""Data of the pages that prepare a campaign, step by step."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q

from config.background.models import Job
from config.plurals import many
from config.row_keys import row_key
from judging.campaign.campaign_settings import SETTINGS_CHANGED
from judging.campaign.campaigns import CampaignSettings
from judging.campaign.cost import money, pay_for, quote_tasks
from judging.campaign.gold_pairs import needed_gold
from judging.campaign.gold_proposals import gold_work
from judging.campaign.rehearsal_copy import NOT_COPIED, rehearsals_asked_for, rehearses_here, was_rehearsed
from judging.campaign.screening_forecast import assumption_words, outlook_of, rules_compared, slips_of
from judging.campaign.setting_names import setting_names
from judging.campaign.shared_figures import figures_read_once
from judging.campaign.spending_rights import spending_right
from judging.campaign.worker_texts import usual_minutes
from judging.crowds import crowd_at
from judging.launch.forecast import Forecast, Pace, forecast_of, forecast_pairs, later_rounds
from judging.launch.launches import amount_to_confirm
from judging.launch.pilot_report import pilot_report
from judging.models import Campaign, CampaignChange, GoldPair, Task
from judging.rules.pay import Pay, hourly
from pooling.models import AddedFiles, Collection, Pool
from web.common.job_progress import Work
from web.common.pair_texts import pilot_gold
from web.common.row_counts import count_by
from web.preparation.forms import SettingsForm
from web.preparation.preparation_steps import has_weak_screening
from web.preparation.shown_checks import check_page

GOLD_A_PAGE = 20


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
    """Whether no passage of the pool has a text although people are to judge the campaign."""

    @property
    def lacking(self) -> int:
        """The number of gold pairs still to be accepted."""
        return max(0, self.needed - self.accepted)


def gold_page(campaign: Campaign, given: Mapping[str, str]) -> GoldPage:
    """Return the page of gold pairs that the URL requests, with the oldest proposal as the next one to decide."""
    counts = count_by(campaign.gold_pairs.all(), "state")
    shown = given.get("show", "")
    shown = shown if shown in (GoldPair.State.ACCEPTED, GoldPair.State.DROPPED) else GoldPair.State.ACCEPTED
    kind = given.get("kind", "")
    kind = kind if kind in (GoldPair.Kind.EASY, GoldPair.Kind.HARD) else ""
    rows = campaign.gold_pairs.select_related("query", "relevant", "off_topic")
    decided = rows.filter(state=shown, kind=kind) if kind else rows.filter(state=shown)
    job = gold_work(campaign).first()
    last = row_key(given.get("last", ""))
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
        last=rows.filter(pk=last).exclude(state=GoldPair.State.PROPOSED).first() if last else None,
        work=_latest_work(job, campaign),
        unreadable=not campaign.placeholder_text
        and campaign.pool is not None
        and not campaign.pool.pooled_passages.exclude(passage__text=None).exists(),
    )


def _latest_work(job: Job | None, campaign: Campaign) -> Work | None:
    """Return the job for the page; None if it was refused but settings or files have changed since."""
    if job is None:
        return None
    if job.fault == Job.Fault.REFUSED and job.finished_at is not None:
        changed = campaign.changes.filter(what=SETTINGS_CHANGED, happened_at__gt=job.finished_at)
        added = AddedFiles.objects.filter(
            collection=campaign.collection_id, state=AddedFiles.State.ADDED, finished_at__gt=job.finished_at
        )
        if changed.exists() or added.exists():
            return None
    return Work(job)


def _label_sets(campaign: Campaign) -> list[str]:
    """Return the names of the collection's qrel sets, the best sources of gold pairs first.

    Sets with more passages labeled not relevant come first: gold pairs from such passages look like real pairs. In a
    tie, the pool's set comes first. The list is empty without a pool.
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
    offered: Decimal
    """The hourly pay as workers read it, calculated from whole minutes."""

    @property
    def enough(self) -> bool:
        """Whether the expected pay reaches the promised minimum."""
        return self.least is None or self.forecast.hourly >= self.least

    @property
    def short(self) -> bool:
        """Whether the budget does not cover the cost without repeats."""
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
        offered=hourly(pay.whole, 60 * usual_minutes(campaign, campaign.slots_per_task)),
    )


@dataclass(frozen=True)
class CostPreview:
    """The number of pairs to be judged, and the forecast of cost and time."""

    pairs: int
    forecast: Forecast


def cost_preview(
    form: SettingsForm, pairs: int, now: CampaignSettings, *, draft: Campaign | None = None
) -> CostPreview | None:
    """Return the cost with the form's settings; None if a value is invalid.

    Settings that the form does not change come from ``now``. ``draft`` is the campaign that the form changes, if any.
    Problems with the settings are added to the form.
    """
    if form.is_bound:
        if not form.values_are_valid:
            return None
        now = replace(now, **form.changes())
        form.say(now.problems())
        if not form.values_are_valid:
            return None
    return CostPreview(pairs, forecast_pairs(now, pairs, Pace(), draft=draft))


@dataclass(frozen=True)
class RehearsalPage:
    """The latest rehearsal, the forecast of the latest complete one, and the campaign's copies, newest first."""

    work: Work | None
    result: dict[str, Any] | None
    copies: list[Campaign]

    @property
    def ending(self) -> bool:
        """Whether the running rehearsal is closing its copy, because it was stopped or all tasks are done."""
        if self.work is None or self.work.job is None or not self.work.live:
            return False
        began = self.work.job.created_at
        closing = CampaignChange.objects.filter(what=Campaign.State.CLOSING, happened_at__gte=began)
        return closing.filter(campaign__in=self.copies).exists()


def rehearsal_result(campaign: Campaign) -> dict[str, Any] | None:
    """Return the forecast of the latest complete rehearsal; None without one."""
    done = rehearsals_asked_for(campaign).filter(state=Job.State.DONE).first()
    return done.result if done else None


def rehearsal_page(campaign: Campaign) -> RehearsalPage:
    """Return the progress of the latest rehearsal, and the forecast of the latest complete one."""
    asked = rehearsals_asked_for(campaign)
    job = asked.first()
    return RehearsalPage(
        work=_latest_work(job, campaign),
        result=rehearsal_result(campaign),
        copies=list(campaign.rehearsals.order_by("-pk")),
    )


def settings_changed_since(campaign: Campaign, copy: Campaign) -> list[str]:
    """Return the names of the settings in which the campaign differs from its rehearsed copy."""
    copied = {field.name for field in Campaign._meta.concrete_fields} - NOT_COPIED - {"placeholder_text"}
    names = setting_names(graded=campaign.grades > 0)
    return [
        words
        for name, words in names.items()
        if name in copied and getattr(copy, name) != getattr(campaign, name)
    ]


def rehearsal_context(campaign: Campaign) -> dict[str, Any]:
    """Return the data of the rehearsal page, with the time that people would need for the rehearsal's tasks."""
    page = rehearsal_page(campaign)
    forecast = forecast_of(campaign, Pace())
    result = page.result or {}
    submitted = result.get("foreseen", result.get("submitted", 0))
    hours = submitted * forecast.seconds_per_task / 3600
    copy = next((one for one in page.copies if one.name == result.get("copy")), None)
    days = math.ceil(hours / (Pace().people * Pace().hours_a_day))
    return {
        "page": page,
        "hours": hours,
        "days": days,
        "minutes": forecast.seconds_per_task / 60,
        "foreseen": outlook_of(campaign).costs(quote_tasks(campaign, campaign.tasks.count()).total),
        "slips": slips_of(campaign),
        "changed": settings_changed_since(campaign, copy) if copy else [],
        "rehearses_here": rehearses_here(),
        "crowd": settings.CROWD_ENDPOINT,
    }


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


@figures_read_once()
def rule_comparison(campaign: Campaign) -> dict[str, Any]:
    """Return the comparison of screening rules, its assumptions, and any rule better than the chosen rule."""
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
    """Return the data of the launch page: the cost, and the check list.

    If only weak screening prevents the launch, the check list is shown as if that were accepted.
    """
    page = check_page(campaign, user)
    return {
        "page": page.with_weak_screening() if page.weak else page,
        "weak": has_weak_screening(campaign),
        **rule_comparison(campaign),
        "right": spending_right(user, campaign.collection),
        "amount": amount_to_confirm(campaign),
        "told": pay_forecast(campaign),
        "rounds": later_rounds(campaign),
        "rehearsed": was_rehearsed(campaign),
        "rehearsal": rehearsal_result(campaign),
        "pilot": pilot_report(campaign),
    }
