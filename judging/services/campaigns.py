"""Campaigns: making one, and each step of its life."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction

from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign, CampaignChange
from judging.pair_request import PairRequest
from judging.pay import BASE_REWARD, rounded
from judging.reading import least_limit
from judging.screening import SLIP_RATE
from judging.services.pairs import pairs_of, request_pairs
from judging.services.postings import next_posting
from judging.services.reading_time import seconds_a_pair
from judging.services.reserving import settle
from judging.services.texts import check_language, check_short_texts, default_texts
from pooling.models import Collection, Pool
from pooling.services.naming import check_name

#: The reference experiment's qualifications: in the US, more than 10,000 approved tasks, at least 97 % approved.
REFERENCE_QUALIFICATIONS: list[dict[str, Any]] = [
    {
        "QualificationTypeId": "00000000000000000071",
        "Comparator": "EqualTo",
        "LocaleValues": [{"Country": "US"}],
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    },
    {
        "QualificationTypeId": "00000000000000000040",
        "Comparator": "GreaterThan",
        "IntegerValues": [10_000],
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    },
    {
        "QualificationTypeId": "000000000000000000L0",
        "Comparator": "GreaterThanOrEqualTo",
        "IntegerValues": [97],
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    },
]
PRESETS: dict[str, list[dict[str, Any]]] = {"": [], "reference": REFERENCE_QUALIFICATIONS}


#: Settings that are whole numbers: the least and the most that make sense.
WHOLE_NUMBERS = {
    "pairs_per_task": (1, 1000),
    "gold_per_task": (0, 100),
    "repeats_per_task": (0, 10),
    "judgments_per_pair": (1, 100),
    "max_tasks_per_worker": (1, 100_000),
    "withdrawal_days": (0, 3650),
    "answer_days": (1, 30),
    "hold_hours": (0, 60),
    "minimum_seconds": (0, 120),
    "minimum_age": (0, 99),
    "assignment_seconds": (300, 30 * 86400),
    "seed": (-(2**62), 2**62),
}
MOST_REWARD = Decimal(10_000)
MOST_BUDGET = Decimal(10**9)
MOST_CONTACT = 200


def _amount_problem(what: str, amount: Decimal, most: Decimal) -> str:
    if amount.is_finite() and 0 <= amount <= most and amount == rounded(amount):
        return ""
    return f"{what} must be an amount between $0.00 and ${most:,.2f} with at most two decimals."


@dataclass(frozen=True)
class CampaignSettings:
    """What a campaign is set to; the defaults are the reference experiment's."""

    pairs_per_task: int = 10
    gold_per_task: int = 3
    repeats_per_task: int = 0
    judgments_per_pair: int = 1
    reward: Decimal = field(default=Decimal("2.00"))
    pay: str = Campaign.Pay.SPLIT
    base_reward: Decimal | None = None
    screen: str = Campaign.Screen.REFERENCE
    max_tasks_per_worker: int = 20
    seed: int = 1
    preset: str = ""
    placeholder_text: bool = False
    allow_undecided: bool = False
    refuse_excluded_elsewhere: bool = True
    budget: Decimal | None = None
    slip_rate: float = SLIP_RATE
    answer_days: int = 3
    contact: str = ""
    withdrawal_days: int = 30
    hold_hours: int = 0
    assignment_seconds: int = 3600
    minimum_seconds: int = 0
    mark_query_words: bool = False
    minimum_age: int = 0
    content_warning: str = ""
    ethics_approval: str = ""
    language: str = "en"

    def values(self) -> dict[str, Any]:
        """As the campaign's fields; a base reward that nobody chose is a small part of the reward."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return fields | {
            "base_reward": min(BASE_REWARD, self.reward) if self.base_reward is None else self.base_reward
        }

    @property
    def slots_per_task(self) -> int:
        """How many pairs a full task shows: to be judged, gold and repeated ones."""
        return self.pairs_per_task + self.gold_per_task + self.repeats_per_task

    def check(self) -> None:
        """Raises :class:`CampaignRefused` naming the first setting that cannot be."""
        for refusal in self.problems().values():
            raise refusal

    def problems(self) -> dict[str, CampaignRefused]:
        """Setting → why it cannot be, in the order in which a person meets them; empty when all can be."""
        found: dict[str, CampaignRefused] = {
            name: BadInput(f"--{name.replace('_', '-')} must be between {least:,} and {most:,}.")
            for name, (least, most) in WHOLE_NUMBERS.items()
            if not least <= getattr(self, name) <= most
        }
        found |= self._money_problems()
        if not 0 <= self.slip_rate <= 0.5:
            found["slip_rate"] = BadInput("--slip-rate must be a share between 0 and 0.5.")
        if self.screen not in Campaign.Screen.values:
            found["screen"] = BadInput(f"There is no screening rule called {self.screen!r}.")
        if self.preset not in PRESETS:
            found["preset"] = BadInput(f"There is no preset called {self.preset!r}.")
        if len(self.contact) > MOST_CONTACT:
            found["contact"] = BadInput(f"The contact has at most {MOST_CONTACT} characters.")
        checks: dict[str, Callable[[], None]] = {
            "language": lambda: check_language(self.language),
            "content_warning": lambda: check_short_texts(content_warning=self.content_warning),
            "ethics_approval": lambda: check_short_texts(ethics_approval=self.ethics_approval),
        }
        for name, check in checks.items():
            try:
                check()
            except CampaignRefused as refusal:
                found[name] = refusal
        return found

    def _money_problems(self) -> dict[str, CampaignRefused]:
        found: dict[str, CampaignRefused] = {}
        if problem := _amount_problem("The reward", self.reward, MOST_REWARD):
            found["reward"] = BadInput(problem)
        if self.pay not in Campaign.Pay.values:
            found["pay"] = BadInput(
                f"There is no way of paying called {self.pay!r}.", "Choose split or whole."
            )
        if self.base_reward is not None and (
            problem := _amount_problem(
                "The base reward, a part of the reward,", self.base_reward, self.reward
            )
        ):
            found["base_reward"] = BadInput(problem)
        if self.budget is not None and (problem := _amount_problem("The budget", self.budget, MOST_BUDGET)):
            found["budget"] = BadInput(problem)
        elif self.budget is not None and not self.budget:
            found["budget"] = BadInput("The budget must be more than $0.00.", "Leave it away for none.")
        return found


def create_campaign(
    *,
    name: str,
    settings: CampaignSettings,
    pool: Pool | None = None,
    collection: Collection | None = None,
    who: str = "",
) -> Campaign:
    """A draft campaign with the pairs and tasks of ``pool``; or, for imported judgments, of ``collection`` alone."""
    check_name(name)
    settings.check()
    if (pool is None) == (collection is None):
        raise BadInput("A campaign is made for a pool, or for a collection whose judgments are imported.")
    owner = pool.collection if pool else collection
    assert owner is not None
    try:
        with transaction.atomic():
            campaign = Campaign.objects.create(
                name=name,
                pool=pool,
                collection=owner,
                qualifications=PRESETS[settings.preset],
                **settings.values(),
                **default_texts(settings.language),
            )
            if pool:
                pairs = pairs_of(pool)
                _check_pairs(pool, pairs)
                request_pairs(campaign, pairs, judgments=settings.judgments_per_pair, round=0)
                if settings.assignment_seconds == CampaignSettings.assignment_seconds:
                    _give_enough_time(campaign)
            log(campaign, "created", who=who)
    except IntegrityError:
        raise CampaignRefused(
            f"There is a campaign called {name!r} already.", "Choose another name."
        ) from None
    return campaign


def _give_enough_time(campaign: Campaign) -> None:
    """Raise a limit that nobody chose to what a task of this length needs."""
    expected = campaign.slots_per_task * seconds_a_pair(campaign)
    most = WHOLE_NUMBERS["assignment_seconds"][1]
    if (needed := min(least_limit(expected), most)) > campaign.assignment_seconds:
        campaign.assignment_seconds = needed
        campaign.save(update_fields=["assignment_seconds"])


def _check_pairs(pool: Pool, pairs: Sequence[PairRequest]) -> None:
    """Refuses a pool that leaves nothing to judge: the campaign would be refused at launch, gold and texts done."""
    if pairs:
        return
    queries = pool.pooled_passages.values("query").distinct().count()
    has = f"has one passage for each query ({queries:,} in all)" if queries else "is empty: it has no query"
    raise CampaignRefused(
        f"The pool {pool.name} {has}, so there is no pair to judge.",
        f"Build a pool with more runs, a greater depth or the known relevant passages: "
        f"manage.py build_pool {pool.collection.name} --pool NAME --all-runs --depth 2",
    )


def campaign_named(name: str) -> Campaign:
    """The campaign, or a refusal that lists what there is."""
    campaign = (
        Campaign.objects.select_related("collection", "pool", "pool__qrel_set").filter(name=name).first()
    )
    if campaign is None:
        names = ", ".join(Campaign.objects.order_by("name").values_list("name", flat=True)[:20]) or "none yet"
        raise BadInput(f"There is no campaign called {name!r}.", f"There are: {names}.")
    return campaign


def log(campaign: Campaign, what: str, *, why: str = "", who: str = "") -> None:
    """Keep a step of the campaign's life."""
    CampaignChange.objects.create(campaign=campaign, what=what, why=why, who=who)


def move(
    campaign: Campaign, to: str, *, allowed: Sequence[str], why: str = "", who: str = "", **changes: Any
) -> None:
    """Change the campaign's state, if it is in one of the ``allowed`` ones; whoever comes second is refused."""
    with transaction.atomic():
        moved = Campaign.objects.filter(pk=campaign.pk, state__in=allowed).update(state=to, **changes)
        if moved:
            log(campaign, to, why=why, who=who)
    campaign.refresh_from_db()
    if not moved:
        raise CampaignRefused(
            f"The campaign {campaign.name} is {campaign.state}; it cannot become {to} from there."
        )


def pause(campaign: Campaign, *, why: str = "", who: str = "") -> None:
    """Offer nothing more for now; who holds a task may finish it. A pilot ends that way.

    Its places are then closed by a job.
    """
    if campaign.state == Campaign.State.PILOTING:
        with transaction.atomic():
            settle(campaign)
            move(campaign, Campaign.State.PILOTED, allowed=[Campaign.State.PILOTING], why=why, who=who)
    else:
        move(campaign, Campaign.State.PAUSED, allowed=[Campaign.State.OPEN], why=why, who=who)


def resume(campaign: Campaign, *, why: str = "", who: str = "") -> None:
    """Go on after a pause, on a new posting."""
    with transaction.atomic():
        move(campaign, Campaign.State.OPEN, allowed=[Campaign.State.PAUSED], why=why, who=who)
        next_posting(campaign)
