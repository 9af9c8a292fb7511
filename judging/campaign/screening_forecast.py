"""Forecast a campaign's screening: how many honest workers it keeps, and what repeats cost.

Also recommends a screening rule. Pages, commands and the API all use this module, so they show the same numbers.
"""

from collections import Counter
from decimal import Decimal
from math import isqrt

from django.db.models import Count, Max

from config import kept_objects
from judging.campaign.campaigns import CampaignSettings
from judging.campaign.cost import Quote, quote_tasks, tasks_asked
from judging.campaign.shared_figures import kept_while_reading
from judging.campaign.strategy_figures import outcomes_of
from judging.models import Campaign, GoldAnswer, GoldPair, Pair, Posting
from judging.rules.expectations import Outlook, outlook, tasks_a_worker, tasks_words
from judging.rules.screening import GOLD_PAIR, TEST_PASSAGE
from judging.rules.screening_choice import CARELESS_SHARE, COIN, LEVEL, Consequence, Setting, compare_rules
from judging.rules.slips import Slips, assumed, measured, percent_text
from judging.rules.strategies import Outcome

#: How long to cache the sizes of pools, in seconds.
KEEP_SECONDS = 86400


@kept_while_reading
def slips_of(campaign: Campaign) -> Slips:
    """Return how often honest workers fail a gold pair, measured in pilots or else assumed in the settings."""
    return pilot_slips(campaign) or assumed(campaign.slip_rate)


def pilot_slips(campaign: Campaign) -> Slips | None:
    """Measure the slip rate of people in the campaign's pilots; None if there are too few answers.

    Answers to suspended gold pairs are left out.
    """
    answers = GoldAnswer.objects.confirmed().filter(
        submission__campaign=campaign,
        submission__place__posting__purpose=Posting.Purpose.PILOT,
        worker__simulated=False,
    )
    answers = answers.exclude(gold_pair__state=GoldPair.State.SUSPENDED).order_by("pk")
    return measured(answers.values_list("worker_id", "passed"))


@kept_while_reading
def outlook_of(campaign: Campaign) -> Outlook:
    """Forecast how screening treats the campaign's honest workers, at a low, the expected and a high slip rate."""
    return outlook(
        slips_of(campaign),
        gold_per_task=campaign.gold_per_task,
        tasks_per_worker=tasks_per_worker(campaign),
        rule=campaign.screen,
        allowed=campaign.slip_rate,
    )


def outlook_for(settings: CampaignSettings, tasks: int) -> Outlook:
    """Make the forecast of :func:`outlook_of` for ``tasks`` tasks of a campaign that does not exist yet."""
    return outlook(
        assumed(settings.slip_rate),
        gold_per_task=settings.gold_per_task,
        tasks_per_worker=tasks_a_worker(settings.max_tasks_per_worker, tasks, settings.judgments_per_pair),
        rule=settings.screen,
        allowed=settings.slip_rate,
    )


@kept_while_reading
def tasks_per_worker(campaign: Campaign) -> int:
    """Calculate how many of the campaign's tasks one worker can do at most."""
    return tasks_a_worker(campaign.max_tasks_per_worker, tasks_asked(campaign), campaign.judgments_per_pair)


@kept_while_reading
def rules_compared(campaign: Campaign) -> list[Consequence]:
    """Compare the screening rules for this campaign and recommend one; return an empty list if it has no tasks."""
    tasks = tasks_asked(campaign)
    if not tasks:
        return []
    return compare_rules(
        Setting(
            gold_per_task=campaign.gold_per_task,
            tasks_per_worker=tasks_per_worker(campaign),
            one_pass=quote_tasks(campaign, tasks).total,
            pools=_pool_sizes(campaign),
            slip_rate=slips_of(campaign).expected,
            allowed=campaign.slip_rate,
            judgments_per_pair=campaign.judgments_per_pair,
            careless=((COIN, COIN), *_rates_of_easiest_strategy(campaign)),
        )
    )


def recommended_rule(campaign: Campaign) -> str:
    """Return the recommended rule; the campaign's own rule if nothing is screened or there are no tasks."""
    rows = rules_compared(campaign) if campaign.gold_per_task else []
    return next((row.rule for row in rows if row.recommended), campaign.screen)


def _rates_of_easiest_strategy(campaign: Campaign) -> list[tuple[float, float]]:
    """Return the shares of gold pairs and of other pairs that the easiest strategy gets right.

    Returns a list with one tuple, or an empty list if there is no such strategy.
    """
    found = easiest_strategy(campaign)
    return [(found.right, COIN if found.agrees is None else found.agrees)] if found else []


def easiest_strategy(campaign: Campaign) -> Outcome | None:
    """Of the strategies that judge badly, return the one that most easily passes a task, or None."""
    outcomes = outcomes_of(campaign)
    rows = outcomes.rows if outcomes.tasks else ()
    return next((row for row in rows if row.judges_badly), None)


def _pool_sizes(campaign: Campaign) -> Counter[int]:
    """Map each size of a query's pool, in passages, to the number of queries with a pool of that size.

    The size is computed from the number of pairs: a pool of m passages has m(m − 1)/2 pairs. Where workers grade
    single passages, each passage counts as a pool of two, because its grade is right or wrong by itself.

    The result is cached until the campaign gets more tasks, and so more pairs.
    """
    made = campaign.tasks.aggregate(count=Count("pk"), last=Max("pk"))
    of = (campaign.pk, campaign.created_at.timestamp(), made["count"], made["last"])
    key = kept_objects.object_key("pool-sizes", *of)
    sizes: Counter[int] | None = kept_objects.kept(key)
    if sizes is None:
        rows = Pair.objects.filter(campaign=campaign).values("query").annotate(pairs=Count("pk")).order_by()
        sizes = Counter((1 + isqrt(1 + 8 * row["pairs"])) // 2 for row in rows)
        if campaign.grades:
            sizes = Counter({2: sum(row["pairs"] for row in rows)})
        kept_objects.keep_object(key, sizes, KEEP_SECONDS)
    return sizes


def outlook_words(seen: Outlook, cost: Quote, *, graded: bool = False) -> str:
    """Return one sentence that forecasts the effects of screening and states its assumptions."""
    costs = seen.costs(cost.total)
    if costs[1] is None:
        in_all = "almost no task would count"
    else:
        least, expected, most = map(_dollars_or_no_limit, costs)
        in_all = f"about {expected} in total ({least} to {most})"
    slips, low, high = seen.slips, seen.low, seen.high
    gold = TEST_PASSAGE if graded else GOLD_PAIR
    return (
        f"without careless workers, if honest ones miss {slips.range_words} of the {gold}s "
        f"({slips.expected_words} expected, {slips.source}) and {seen.tasks_words}, "
        f"{percent_text(low.excluded_share)} to {percent_text(high.excluded_share)}% of workers are excluded and "
        f"{percent_text(low.repeated_share)} to {percent_text(high.repeated_share)}% of tasks are repeated: "
        f"{in_all}"
    )


def _dollars_or_no_limit(amount: Decimal | None) -> str:
    return "no limit" if amount is None else f"${amount:,.2f}"


def comparison_words(rows: list[Consequence], *, graded: bool = False) -> str:
    """Return a text that compares the consequences of the screening rules."""
    found = "grades" if graded else "best answers"
    told = "; ".join(
        f"{row.rule}{' (recommended)' if row.recommended else ''} keeps {percent_text(row.honest_kept)}% of honest "
        f"workers, catches {percent_text(row.careless_caught)}% of careless ones, finds about "
        f"{row.per_hundred:.1f} correct {found} per $100 and "
        + ("lets almost no task count" if row.cost is None else f"costs about ${row.cost:,.2f}")
        for row in rows
    )
    level = [row.rule for row in rows if row.level]
    tie = f". Rules within {1 - LEVEL:.0%} count as equal; the one that keeps most honest workers is recommended"
    return f"{told}. Costs include the tasks of careless workers{tie if len(level) > 1 else ''}"


def assumption_words(campaign: Campaign) -> str:
    """Return the assumptions of the comparison of rules, as text."""
    slips, found = slips_of(campaign), easiest_strategy(campaign)
    gold = f"{campaign.gold_words}s"
    guess = "and guess"
    if found:
        right = f"{found.right:.0%} of the {gold}"
        right += "" if found.agrees is None else f" and {found.agrees:.0%} of others"
        guess = f"(half of them guess; half follow “{found.name}”, right on {right})"
    return (
        f"{CARELESS_SHARE:.0%} of workers are careless {guess}, honest ones miss {slips.expected_words} "
        f"of the {gold} ({slips.source}), and {tasks_words(tasks_per_worker(campaign))}"
    )
