"""What a campaign may spend: a cap that offering, repeats and challenges keep to."""

from __future__ import annotations

from decimal import Decimal

from django.conf import settings

from judging.errors import CampaignRefused
from judging.models import Campaign
from judging.services.campaigns import MOST_BUDGET, log
from judging.services.cost import quote_tasks
from judging.services.payments import money


def cap_of(campaign: Campaign) -> Decimal | None:
    """The least of the campaign's budget, the installation's cap and, at an outside crowd, the confirmed amount.

    Dollars with fees; None when nothing caps it.
    """
    caps = [campaign.budget, settings.BUDGET_CAP or None]
    if campaign.endpoint and campaign.endpoint != settings.EMBEDDED_CROWD_ENDPOINT:
        caps.append(campaign.confirmed_spend)
    return min((cap for cap in caps if cap is not None), default=None)


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


def raise_budget(campaign: Campaign, amount: Decimal, *, why: str = "", who: str = "") -> None:
    """Let the campaign commit up to ``amount`` dollars, fees included; recorded with who and why.

    Raises CampaignRefused as :func:`refuse_budget` does.
    """
    refuse_budget(campaign, amount)
    changes = {"budget": amount}
    if campaign.confirmed_spend is not None:
        changes["confirmed_spend"] = max(amount, campaign.confirmed_spend)
    Campaign.objects.filter(pk=campaign.pk).update(**changes)
    campaign.refresh_from_db()
    log(campaign, f"budget ${amount:,.2f}", why=why, who=who)


def refuse_budget(campaign: Campaign, amount: Decimal) -> None:
    """Raise CampaignRefused for less than was committed, or more than the installation's cap; dollars with fees."""
    if not amount.is_finite() or not 0 < amount <= MOST_BUDGET:
        raise CampaignRefused(f"The budget must be more than $0.00 and at most ${MOST_BUDGET:,.2f}.")
    committed = money(campaign)["committed"]
    if amount < committed:
        raise CampaignRefused(
            f"${amount:,.2f} is less than the ${committed:,.2f} that {campaign.name} has committed.",
            f"Pause it first to commit less: manage.py pause_campaign {campaign.name}",
        )
    if settings.BUDGET_CAP and amount > settings.BUDGET_CAP:
        raise CampaignRefused(
            f"${amount:,.2f} is over this installation's cap of ${settings.BUDGET_CAP:,.2f}.",
            "Raise PREFEREE_BUDGET_CAP, or give less.",
        )
