"""Campaigns: making one, and each step of its life."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction

from judging.errors import CampaignRefused
from judging.models import Campaign, CampaignChange
from judging.pay import BASE_REWARD, rounded
from judging.services.pairs import pairs_of, request_pairs
from judging.services.postings import next_posting
from judging.services.texts import default_texts
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
    "judgments_per_pair": (1, 100),
    "max_tasks_per_worker": (1, 100_000),
    "withdrawal_days": (0, 3650),
    "hold_hours": (0, 60),
    "seed": (-(2**62), 2**62),
}
MOST_REWARD = Decimal(10_000)
MOST_BUDGET = Decimal(10**9)


def _check_amount(what: str, amount: Decimal, most: Decimal) -> None:
    if not amount.is_finite() or not 0 <= amount <= most or amount != rounded(amount):
        raise CampaignRefused(
            f"{what} must be an amount in dollars between 0 and {most:,.2f} with at most two decimals."
        )


@dataclass(frozen=True)
class CampaignSettings:
    """What a campaign is set to; the defaults are the reference experiment's."""

    pairs_per_task: int = 10
    gold_per_task: int = 3
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
    slip_rate: float = 0.05
    contact: str = ""
    withdrawal_days: int = 30
    hold_hours: int = 0

    def values(self) -> dict[str, Any]:
        """As the campaign's fields; a base reward that nobody chose is a small part of the reward."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return fields | {
            "base_reward": min(BASE_REWARD, self.reward) if self.base_reward is None else self.base_reward
        }

    def check(self) -> None:
        """Raises :class:`CampaignRefused` naming the first setting that cannot be."""
        for name, (least, most) in WHOLE_NUMBERS.items():
            if not least <= getattr(self, name) <= most:
                raise CampaignRefused(f"{name.replace('_', '-')} must be between {least:,} and {most:,}.")
        _check_amount("The reward", self.reward, MOST_REWARD)
        if self.pay not in Campaign.Pay.values:
            raise CampaignRefused(f"There is no way of paying called {self.pay!r}.", "Choose split or whole.")
        if self.base_reward is not None:
            _check_amount("The base reward, a part of the reward,", self.base_reward, self.reward)
        if self.budget is not None:
            _check_amount("The budget", self.budget, MOST_BUDGET)
        if not 0 <= self.slip_rate <= 0.5:
            raise CampaignRefused("slip-rate must be a share between 0 and 0.5.")
        if self.screen not in Campaign.Screen.values:
            raise CampaignRefused(f"There is no screening rule called {self.screen!r}.")
        if self.preset not in PRESETS:
            raise CampaignRefused(f"There is no preset called {self.preset!r}.")


def create_campaign(
    *, name: str, settings: CampaignSettings, pool: Pool | None = None, collection: Collection | None = None
) -> Campaign:
    """A draft campaign with the pairs and tasks of ``pool``; or, for imported judgments, of ``collection`` alone."""
    check_name(name)
    settings.check()
    if (pool is None) == (collection is None):
        raise CampaignRefused(
            "A campaign is made for a pool, or for a collection whose judgments are imported."
        )
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
                **default_texts(),
            )
            if pool:
                request_pairs(campaign, pairs_of(pool), judgments=settings.judgments_per_pair, round=0)
            log(campaign, "created")
    except IntegrityError:
        raise CampaignRefused(
            f"There is a campaign called {name!r} already.", "Choose another name."
        ) from None
    return campaign


def campaign_named(name: str) -> Campaign:
    """The campaign, or a refusal that lists what there is."""
    campaign = (
        Campaign.objects.select_related("collection", "pool", "pool__qrel_set").filter(name=name).first()
    )
    if campaign is None:
        names = ", ".join(Campaign.objects.order_by("name").values_list("name", flat=True)[:20]) or "none yet"
        raise CampaignRefused(f"There is no campaign called {name!r}.", f"There are: {names}.")
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
        move(campaign, Campaign.State.PILOTED, allowed=[Campaign.State.PILOTING], why=why, who=who)
    else:
        move(campaign, Campaign.State.PAUSED, allowed=[Campaign.State.OPEN], why=why, who=who)


def resume(campaign: Campaign, *, why: str = "", who: str = "") -> None:
    """Go on after a pause, on a new posting."""
    with transaction.atomic():
        move(campaign, Campaign.State.OPEN, allowed=[Campaign.State.PAUSED], why=why, who=who)
        next_posting(campaign)
