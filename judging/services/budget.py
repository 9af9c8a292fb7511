"""What a campaign may spend: a cap that offering, repeats and challenges keep to."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings
from django.db import transaction

from accounts.models import User
from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign
from judging.services.campaigns import MOST_BUDGET, log
from judging.services.cost import quote_tasks
from judging.services.payments import money
from judging.services.reserving import release, reserve, sources

#: More places are offered, so that a raised budget is committed money; before, launching reserves it.
SPENDING = (Campaign.State.OPEN, Campaign.State.PAUSED)


def cap_of(campaign: Campaign) -> Decimal | None:
    """The least of the campaign's budget, the cap of every campaign and the amount that was agreed to.

    Dollars with fees; None for a rehearsal, which pays nobody, and before launch without a budget.
    """
    if campaign.rehearsal_of_id:
        return None
    agreed = None if campaign.state in Campaign.BEFORE_LAUNCH else campaign.confirmed_spend
    caps = [campaign.budget, settings.BUDGET_CAP or None, agreed]
    return min((cap for cap in caps if cap is not None), default=None)


@dataclass(frozen=True)
class BudgetLow:
    """A budget that does not pay for the tasks that are left, and what the campaign comes to; dollars with fees."""

    cap: Decimal
    needed: Decimal


def budget_low(campaign: Campaign, *, used: Decimal, undone: int) -> BudgetLow | None:
    """Whether money runs out first; ``used`` dollars are paid, owed or held, ``undone`` tasks are left."""
    cap, needed = cap_of(campaign), used + quote_tasks(campaign, undone).total
    if campaign.state not in SPENDING or cap is None or needed <= cap:
        return None
    return BudgetLow(cap, needed)


def room_for(campaign: Campaign) -> int | None:
    """How many more places the campaign can pay for; None when nothing caps it."""
    fresh = Campaign.objects.get(pk=campaign.pk)
    cap, price = cap_of(fresh), quote_tasks(fresh, 1).total
    if cap is None or not price:
        return None
    return max(0, int((cap - money(fresh)["committed"]) // price))


def beyond_cap(campaign: Campaign, more: Decimal) -> CampaignRefused | None:
    """Why the campaign cannot commit ``more`` dollars, fees included; None when it can."""
    cap, needed = cap_of(campaign), money(campaign)["committed"] + more
    if cap is None or needed <= cap:
        return None
    return CampaignRefused(
        f"${more:,.2f} more would go beyond the budget of ${cap:,.2f}.",
        f"Run: manage.py raise_budget {campaign.name} {needed:.2f}",
    )


def raise_budget(
    campaign: Campaign, amount: Decimal, *, why: str = "", by: User | None = None, who: str = ""
) -> None:
    """Let the campaign commit up to ``amount`` dollars, fees included; recorded with who and why.

    Of a campaign under way, what is added is reserved against what ``by`` may spend (None: the operator), and what is
    taken away is given back. Raises CampaignRefused and MayNotSpend as :func:`refuse_budget` does.
    """
    campaign.refresh_from_db()
    refuse_budget(campaign, amount, by=by)
    changes = {"budget": amount}
    if campaign.state in (*SPENDING, *Campaign.OVER) and campaign.confirmed_spend is not None:
        changes["confirmed_spend"] = max(amount, campaign.confirmed_spend)
    with transaction.atomic():
        if campaign.state in SPENDING:
            reserve(campaign, amount, by=by, who=who)
            release(campaign, amount)
        # Of a campaign that was launched meanwhile, more would have to be reserved.
        if not Campaign.objects.filter(pk=campaign.pk, state=campaign.state).update(**changes):
            raise CampaignRefused(f"The campaign {campaign.name} changed meanwhile.", "Look again.")
        log(campaign, f"budget ${amount:,.2f}", why=why, who=by.get_username() if by else who)
    campaign.refresh_from_db()


def refuse_budget(campaign: Campaign, amount: Decimal, *, by: User | None = None) -> None:
    """Raise CampaignRefused for less than was committed or more than a cap, MayNotSpend for more than ``by`` may."""
    if not amount.is_finite() or not 0 < amount <= MOST_BUDGET:
        raise BadInput(f"The budget must be more than $0.00 and at most ${MOST_BUDGET:,.2f}.")
    committed = money(campaign)["committed"]
    if amount < committed:
        raise CampaignRefused(
            f"${amount:,.2f} is less than the ${committed:,.2f} that {campaign.name} has committed.",
            f"Pause it first to commit less: manage.py pause_campaign {campaign.name}",
        )
    if settings.BUDGET_CAP and amount > settings.BUDGET_CAP:
        raise CampaignRefused(
            f"${amount:,.2f} is over this installation's cap of ${settings.BUDGET_CAP:,.2f} for a campaign.",
            "Raise PREFEREE_BUDGET_CAP, or give less.",
        )
    if campaign.state in SPENDING:
        sources(campaign, amount, by=by)
