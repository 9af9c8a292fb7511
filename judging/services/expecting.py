"""What screening is expected to do in a campaign: how honest workers fare, what repeats cost, which rule to choose.

One place for every page, command and call, so that all of them tell the same.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from math import isqrt

from django.db.models import Count

from config.plurals import many
from judging.consequences import CARELESS_SHARE, COIN, Consequence, Setting, compare
from judging.expectations import Outlook, outlook, tasks_a_worker
from judging.models import Campaign, GoldAnswer, GoldPair, Pair, Posting
from judging.services.campaigns import CampaignSettings
from judging.services.cost import Quote, quote_tasks
from judging.services.strategy_figures import outcomes_of
from judging.slips import Slips, assumed, measured, percent
from judging.strategies import Outcome


def slips_of(campaign: Campaign) -> Slips:
    """How often honest workers fail a gold pair: as the pilot measured it, else as the campaign assumes."""
    return pilot_slips(campaign) or assumed(campaign.slip_rate)


def pilot_slips(campaign: Campaign) -> Slips | None:
    """The rate measured in the campaign's pilots, from people's answers on gold pairs that are in use."""
    answers = GoldAnswer.objects.confirmed().filter(
        submission__campaign=campaign,
        submission__place__posting__purpose=Posting.Purpose.PILOT,
        worker__simulated=False,
    )
    answers = answers.exclude(gold_pair__state=GoldPair.State.SUSPENDED).order_by("pk")
    return measured(answers.values_list("worker_id", "passed"))


def outlook_of(campaign: Campaign) -> Outlook:
    """What screening does to the campaign's honest workers, over the range of slip rates."""
    return outlook(
        slips_of(campaign),
        gold_per_task=campaign.gold_per_task,
        tasks_per_worker=tasks_per_worker(campaign),
        rule=campaign.screen,
        allowed=campaign.slip_rate,
    )


def outlook_for(settings: CampaignSettings, tasks: int) -> Outlook:
    """The same for a campaign of so many tasks that is not there yet."""
    return outlook(
        assumed(settings.slip_rate),
        gold_per_task=settings.gold_per_task,
        tasks_per_worker=tasks_a_worker(settings.max_tasks_per_worker, tasks, settings.judgments_per_pair),
        rule=settings.screen,
        allowed=settings.slip_rate,
    )


def tasks_per_worker(campaign: Campaign) -> int:
    """How many tasks one worker can really do."""
    return tasks_a_worker(campaign.max_tasks_per_worker, campaign.tasks.count(), campaign.judgments_per_pair)


def rules_compared(campaign: Campaign) -> list[Consequence]:
    """Every screening rule with its consequences for this campaign; one is recommended. Empty without tasks."""
    tasks = campaign.tasks.count()
    if not tasks:
        return []
    return compare(
        Setting(
            gold_per_task=campaign.gold_per_task,
            tasks_per_worker=tasks_per_worker(campaign),
            one_pass=quote_tasks(campaign, tasks).total,
            pools=_pools(campaign),
            slip_rate=slips_of(campaign).expected,
            allowed=campaign.slip_rate,
            judgments_per_pair=campaign.judgments_per_pair,
            careless=((COIN, COIN), *_followers(campaign)),
        )
    )


def _followers(campaign: Campaign) -> list[tuple[float, float]]:
    """How often workers answer gold pairs and others right who follow the strategy that passes most easily."""
    found = easiest_strategy(campaign)
    return [(found.right, COIN if found.agrees is None else found.agrees)] if found else []


def easiest_strategy(campaign: Campaign) -> Outcome | None:
    """The strategy that passes a task of this campaign most easily and judges badly; None without accepted gold."""
    outcomes = outcomes_of(campaign)
    rows = outcomes.rows if outcomes.tasks else ()
    return next((row for row in rows if row.judges_badly), None)


def _pools(campaign: Campaign) -> Counter[int]:
    """Passages in a query's pool → how many such queries; a pool of m has m(m − 1)/2 pairs."""
    rows = Pair.objects.filter(campaign=campaign).values("query").annotate(pairs=Count("pk")).order_by()
    return Counter((1 + isqrt(1 + 8 * row["pairs"])) // 2 for row in rows)


def outlook_words(seen: Outlook, cost: Quote) -> str:
    """Say in one sentence what to expect of screening, and under which assumption."""
    costs = seen.costs(cost.total)
    tasks = many(seen.expected.tasks_per_worker, "task")
    if costs[1] is None:
        in_all = "hardly a task would count"
    else:
        in_all = f"about {_dollars(costs[1])} in all ({_dollars(costs[0])} to {_dollars(costs[2])})"
    slips, low, high = seen.slips, seen.low, seen.high
    return (
        f"without careless workers, if honest ones miss {slips.range_words} of the test pairs "
        f"({slips.expected_words} expected, {slips.source}) and each do up to {tasks}, "
        f"{percent(low.excluded_share)} to {percent(high.excluded_share)}% of them are excluded and "
        f"{percent(low.repeated_share)} to {percent(high.repeated_share)}% of their tasks repeated: {in_all}"
    )


def _dollars(amount: Decimal | None) -> str:
    return "no end" if amount is None else f"${amount:,.2f}"


def comparison_words(rows: list[Consequence]) -> str:
    """Say the rules' consequences side by side."""
    told = "; ".join(
        f"{row.rule}{' (recommended)' if row.recommended else ''} keeps {percent(row.honest_kept)}% of honest "
        f"workers, catches {percent(row.careless_caught)}% of careless ones and "
        + ("lets hardly a task count" if row.cost is None else f"costs about ${row.cost:,.2f}")
        for row in rows
    )
    return f"{told}. Costs include the tasks of careless workers"


def assumption_words(campaign: Campaign) -> str:
    """Say under which assumption the rules are compared."""
    slips, found = slips_of(campaign), easiest_strategy(campaign)
    guess = "and guess"
    if found:
        right = f"{found.right:.0%} of the test pairs"
        right += "" if found.agrees is None else f" and {found.agrees:.0%} of others"
        guess = f"(half of them guess; half follow “{found.name}”, right on {right})"
    return (
        f"{CARELESS_SHARE:.0%} of workers are careless {guess}, honest ones miss {slips.expected_words} "
        f"of the test pairs ({slips.source}), and each does up to {many(tasks_per_worker(campaign), 'task')}"
    )
