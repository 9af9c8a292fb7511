"""The spending cap of a campaign, which limits new postings, repeats and challenges."""

from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings
from django.db import transaction

from accounts.models import User
from config.guidance import Action, Guidance
from judging.campaign.campaigns import MOST_BUDGET, log_change
from judging.campaign.cost import money, quote_tasks
from judging.campaign.reservations import (
    lock_commitments,
    release_reservations,
    reserve,
    sources,
    take_turn,
)
from judging.errors import BadInput, CampaignRefused
from judging.models import Campaign

#: States in which tasks are done or can be offered again.
SPENDING = (Campaign.State.OPEN, Campaign.State.PAUSED)
#: States in which raising the budget reserves money at once. Before these states, the launch reserves it. A closing
#: campaign can still pay for work that was saved in time.
RESERVING = (*SPENDING, Campaign.State.CLOSING)


def cap_of(campaign: Campaign) -> Decimal | None:
    """Return the most that the campaign can spend, in dollars with fees; None without a limit.

    This is the lowest of its budget, the installation's cap per campaign and the confirmed amount. An amount is
    confirmed when a pilot or the campaign is launched. A rehearsal has no limit, because it pays nobody.
    """
    if campaign.rehearsal_of_id:
        return None
    agreed = None if campaign.state in Campaign.BEFORE_LAUNCH else campaign.confirmed_spend
    caps = [campaign.budget, settings.BUDGET_CAP or None, agreed]
    return min((cap for cap in caps if cap is not None), default=None)


@dataclass(frozen=True)
class BudgetLow:
    """A campaign's cap that is too low for the remaining tasks, and the total cost ``needed``.

    Both are in dollars, with fees.
    """

    cap: Decimal
    needed: Decimal


def budget_low(campaign: Campaign, *, used: Decimal, undone: int) -> BudgetLow | None:
    """Return the cap and the cost if a running campaign's cap does not cover its remaining tasks, otherwise None.

    ``used`` is the number of dollars paid, owed or held; ``undone`` is the number of remaining tasks.
    """
    cap, needed = cap_of(campaign), used + quote_tasks(campaign, undone).total
    if campaign.state not in SPENDING or cap is None or needed <= cap:
        return None
    return BudgetLow(cap, needed)


def room_for(campaign: Campaign) -> int | None:
    """Return how many more places the campaign can pay for; None without a cap or if places cost nothing."""
    fresh = Campaign.objects.get(pk=campaign.pk)
    cap, price = cap_of(fresh), quote_tasks(fresh, 1).total
    if cap is None or not price:
        return None
    return max(0, int((cap - money(fresh)["committed"]) // price))


def beyond_cap(campaign: Campaign, more: Decimal) -> CampaignRefused | None:
    """Return the refusal to raise if ``more`` dollars, fees included, exceed the campaign's cap, otherwise None."""
    cap, needed = cap_of(campaign), money(campaign)["committed"] + more
    if cap is None or needed <= cap:
        return None
    return CampaignRefused(
        f"${more:,.2f} more would exceed the budget of ${cap:,.2f}.",
        Action("raise_budget", campaign.name, f"{needed:.2f}"),
    )


def raise_budget(
    campaign: Campaign, amount: Decimal, *, why: str = "", by: User | None = None, who: str = ""
) -> None:
    """Set the budget to ``amount`` dollars, fees included, and record in the campaign's log who did so and why.

    In the :data:`RESERVING` states, an increase is reserved against what ``by`` can spend (None: the operator), and a
    decrease is released. Raises the errors of :func:`refuse_budget`.
    """
    with transaction.atomic():
        take_turn()
        lock_commitments(campaign)
        campaign.refresh_from_db()
        refuse_budget(campaign, amount, by=by)
        changes = {"budget": amount}
        if campaign.state in (*SPENDING, *Campaign.OVER) and campaign.confirmed_spend is not None:
            changes["confirmed_spend"] = max(amount, campaign.confirmed_spend)
        if campaign.state in RESERVING:
            reserve(campaign, amount, by=by, who=who)
            release_reservations(campaign, amount)
        Campaign.objects.filter(pk=campaign.pk).update(**changes)
        log_change(campaign, f"budget ${amount:,.2f}", why=why, who=by.get_username() if by else who)
    campaign.refresh_from_db()


def refuse_budget(campaign: Campaign, amount: Decimal, *, by: User | None = None) -> None:
    """Check that the budget can be set to ``amount`` dollars, without changing anything.

    Raises BadInput for an impossible amount. Raises CampaignRefused if the amount is less than the campaign has
    committed or exceeds the installation's caps. In the :data:`RESERVING` states, raises MayNotSpend if ``by`` cannot
    spend the increase.
    """
    if not amount.is_finite() or not 0 < amount <= MOST_BUDGET:
        raise BadInput(f"The budget must be more than $0.00 and at most ${MOST_BUDGET:,.2f}.")
    committed = money(campaign)["committed"]
    if amount < committed:
        pause = Guidance("Pause it first to commit less: ", Action("pause_campaign", campaign.name, lead=""))
        raise CampaignRefused(
            f"${amount:,.2f} is less than the ${committed:,.2f} that {campaign.name} has committed.",
            pause if campaign.state in Campaign.OFFERING else "Choose at least this amount.",
        )
    if settings.BUDGET_CAP and amount > settings.BUDGET_CAP:
        raise CampaignRefused(
            f"${amount:,.2f} is over this installation's cap of ${settings.BUDGET_CAP:,.2f} for a campaign.",
            "Raise PREFEREE_BUDGET_CAP, or choose a smaller budget.",
        )
    if campaign.state in RESERVING:
        sources(campaign, amount, by=by)
