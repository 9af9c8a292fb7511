"""Forecast the tasks, dollars, working hours and days that a campaign needs."""

import math
from dataclasses import dataclass
from decimal import Decimal

from config.plurals import many
from judging.campaign.campaigns import CampaignSettings
from judging.campaign.cost import Quote, quote_pay, quote_tasks, tasks_asked
from judging.campaign.hourly_pay import expected_pay
from judging.campaign.screening_forecast import outlook_for, outlook_of
from judging.errors import BadInput
from judging.grading.crowd_grading import later_tasks
from judging.models import Campaign
from judging.rules.expectations import Outlook
from judging.rules.packing import task_count
from judging.rules.pay import hourly, pay_of
from judging.rules.reading_speed import SECONDS_PER_PAIR
from judging.rules.topic_effort import no_limit_words

MOST_PEOPLE = 10_000


@dataclass(frozen=True)
class Pace:
    """The number of people at work, and the hours that each works a day."""

    people: int = 5
    hours_a_day: float = 2.0

    def check(self) -> None:
        """Raise BadInput if the number of people or of hours is out of range."""
        if not 1 <= self.people <= MOST_PEOPLE:
            raise BadInput(f"Choose between 1 and {MOST_PEOPLE:,} people.")
        if not 0 < self.hours_a_day <= 24:
            raise BadInput("Hours a day must be more than 0 and at most 24.")


@dataclass(frozen=True)
class Forecast:
    """The forecast of a campaign's cost in dollars with fees, working hours, and days at the given pace.

    ``hours`` and ``days`` do not include repeats.

    ``with_repeats`` is the cost including repeats at the expected slip rate. ``low`` is that cost at the low slip
    rate, and ``worst`` at the high one. Each is None if almost no task would count at its rate.
    """

    quote: Quote
    outlook: Outlook
    low: Decimal | None
    with_repeats: Decimal | None
    worst: Decimal | None
    seconds_per_task: float
    seconds_per_slot: float
    """The seconds for one pair, or for one passage if single passages are graded."""
    measured: int
    """The number of pilot tasks with a measured time; 0 means that the time is an estimate."""
    hourly: Decimal
    hours: float
    days: int


def forecast_pairs(
    settings: CampaignSettings, pairs: int, pace: Pace, *, draft: Campaign | None = None
) -> Forecast:
    """Forecast a campaign that does not exist yet, or a draft with unsaved settings.

    The time for a pair is measured in the draft's pilot, or else estimated from its texts. Without a draft, it is
    SECONDS_PER_PAIR. Raises CampaignRefused for invalid settings or an invalid pace.
    """
    settings.check()
    pace.check()
    tasks = task_count(pairs, settings.pairs_per_task, settings.judgments_per_pair)
    values = settings.values()
    pay = pay_of(settings.reward, values["base_reward"], split=settings.pay == Campaign.Pay.SPLIT)
    seconds, measured = float(SECONDS_PER_PAIR), 0
    if draft is not None:
        time = expected_pay(draft)
        seconds, measured = time.seconds / draft.slots_per_task, time.measured
    quote, seen = quote_pay(pay, tasks), outlook_for(settings, tasks)
    return _forecast(quote, seen, seconds, settings.slots_per_task, measured, pace)


def forecast_of(campaign: Campaign, pace: Pace) -> Forecast:
    """Forecast the cost and time of all the campaign's tasks, with the pilot's median time if there was a pilot."""
    pace.check()
    pay = expected_pay(campaign)
    quote = quote_tasks(campaign, tasks_asked(campaign))
    slots = campaign.slots_per_task
    return _forecast(quote, outlook_of(campaign), pay.seconds / slots, slots, pay.measured, pace)


@dataclass(frozen=True)
class LaterRounds:
    """The maximum cost of all tasks of a graded campaign, without repeats."""

    pools: Quote
    """The cost if every topic needs its whole pool."""
    accepted: Quote
    """The cost if every topic is accepted as early as possible."""
    most: Quote | None
    """The cost if the budget of passages is used up; None without a budget."""
    unlimited: str
    """A sentence about the topics that the rules never end, which can need more tasks."""


def later_rounds(campaign: Campaign) -> LaterRounds | None:
    """Return the maximum cost of a graded campaign with its later rounds, or None if no later rounds can follow."""
    if campaign.grading is None or campaign.rehearsal_of_id:
        return None
    first, later = campaign.tasks.count(), later_tasks(campaign)
    if later.most == 0:
        return None
    pools, accepted = (quote_tasks(campaign, first + tasks) for tasks in (later.pools, later.accepted))
    most = None if later.most is None else quote_tasks(campaign, first + later.most)
    return LaterRounds(pools, accepted, most, no_limit_words(campaign.grading.life))


def later_rounds_words(campaign: Campaign) -> str:
    """Return the cost of later rounds as text to append to the cost of the tasks; "" if there are none."""
    rounds = later_rounds(campaign)
    if rounds is None:
        return ""
    cases = [
        ("If every topic needs its whole pool", rounds.pools),
        ("if every topic is accepted as early as possible", rounds.accepted),
        ("if the budget of passages is used up", rounds.most),
    ]
    costs = "; ".join(
        f"{case}, at most {many(quote.tasks, 'task')} cost ${quote.total:,.2f} without repeats"
        for case, quote in cases
        if quote is not None
    )
    return f". These tasks are the first round. {costs}. {rounds.unlimited.removesuffix('.')}"


def _forecast(
    quote: Quote, outlook: Outlook, seconds_per_slot: float, slots: int, measured: int, pace: Pace
) -> Forecast:
    seconds = round(seconds_per_slot * slots, 6)
    hours = quote.tasks * seconds / 3600
    low, with_repeats, worst = outlook.costs(quote.total)
    return Forecast(
        quote=quote,
        outlook=outlook,
        low=low,
        with_repeats=with_repeats,
        worst=worst,
        seconds_per_task=seconds,
        seconds_per_slot=seconds_per_slot,
        measured=measured,
        hourly=hourly(quote.reward / quote.tasks, seconds) if quote.tasks else Decimal(0),
        hours=hours,
        days=math.ceil(hours / (pace.people * pace.hours_a_day)),
    )
