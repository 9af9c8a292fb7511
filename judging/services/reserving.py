"""Reserve what a campaign may commit, against what a person may spend and the cap of the installation.

Every step that lets a campaign commit more money comes here: pilots, launches, budgets that are raised, top-ups.
Repeats and challenges stay within what was reserved. Rehearsals pay nobody and reserve nothing.
"""

from __future__ import annotations

from decimal import Decimal

from django.db import transaction
from django.db.models import F

from accounts.models import User
from accounts.services.administrators import whom_to_ask
from config import clock
from judging.errors import CampaignRefused, MayNotSpend
from judging.models import Campaign, Payment, Purse, Reservation
from judging.services.payments import money
from judging.services.spending_rights import (
    NOTHING,
    GrantLeft,
    grants_left,
    installation_spending,
    needs_grant,
    summed,
)
from pooling.models import Collection, SpendingGrant
from pooling.services.spending_grants import usable_by


def reserve(campaign: Campaign, total: Decimal, *, by: User | None, who: str = "") -> None:
    """Have at least ``total`` dollars reserved for the campaign, taking what is missing from what ``by`` may spend.

    Safe to race: of two that reserve at once, the second sees what the first took. Raises MayNotSpend, and
    CampaignRefused beyond the cap of the installation.
    """
    if campaign.rehearsal_of_id:
        return
    with transaction.atomic():
        take_turn()
        name = by.get_username() if by else who
        # What is added after the end is paid at once; nothing settles it later.
        over = Campaign.objects.filter(pk=campaign.pk, state=Campaign.State.CLOSED).exists()
        settled_at = clock.now() if over else None
        Reservation.objects.bulk_create(
            Reservation(campaign=campaign, grant=grant, amount=amount, who=name, settled_at=settled_at)
            for grant, amount in sources(campaign, total, by=by)
        )


def sources(
    campaign: Campaign, total: Decimal, *, by: User | None
) -> list[tuple[SpendingGrant | None, Decimal]]:
    """Where the money would come from that is missing to ``total``: grants, or None for the installation itself.

    Reserves nothing. Raises as :func:`reserve` does.
    """
    missing = total - reserved_for(campaign)
    if campaign.rehearsal_of_id or missing <= 0:
        return []
    _refuse_beyond_cap(missing)
    if not needs_grant(by):
        return [(None, missing)]
    taken: list[tuple[SpendingGrant | None, Decimal]] = []
    rest = missing
    usable = grants_left(usable_by(by, campaign.collection))
    for one in usable:
        if (amount := min(rest, one.left)) > 0:
            taken.append((one.grant, amount))
            rest -= amount
    if rest > 0:
        raise _may_not_spend(campaign.collection, missing, usable)
    return taken


def release(campaign: Campaign, total: Decimal) -> None:
    """Give back what is reserved beyond ``total``, the latest reservations first."""
    with transaction.atomic():
        take_turn()
        extra = reserved_for(campaign) - total
        for row in campaign.reservations.order_by("-pk"):
            if extra <= 0:
                break
            back = min(extra, row.amount)
            Reservation.objects.filter(pk=row.pk).update(amount=row.amount - back)
            extra -= back


def settle(campaign: Campaign) -> None:
    """Have only what people are paid count from now on: nothing more is offered. Safe to repeat.

    Simulated workers are paid in play money, which counts for nothing.
    """
    with transaction.atomic():
        take_turn()
        played = Payment.objects.filter(submission__campaign=campaign, submission__worker__simulated=True)
        played = played.exclude(state=Payment.State.REJECTED)
        left = money(campaign)["committed"] - summed(played, F("amount") + F("fee"))
        for row in campaign.reservations.order_by("pk"):
            kept = min(row.amount, max(NOTHING, left))
            left -= kept
            Reservation.objects.filter(pk=row.pk).update(
                amount=kept, settled_at=row.settled_at or clock.now()
            )


def reserved_for(campaign: Campaign) -> Decimal:
    """What the campaign may commit in all, as far as it is reserved."""
    return summed(campaign.reservations.all())


def take_turn() -> None:
    """Write the purse's row: whoever reserves at the same moment waits until this transaction is over.

    A transaction that writes a campaign's row as well takes its turn first, so that no two wait for each other.
    """
    mine = Purse.objects.filter(pk=1)
    if not mine.update(turn=F("turn") + 1):
        Purse.objects.bulk_create([Purse(pk=1)], ignore_conflicts=True)
        mine.update(turn=F("turn") + 1)


def _refuse_beyond_cap(missing: Decimal) -> None:
    spending = installation_spending()
    if spending.left is None or missing <= spending.left:
        return
    raise CampaignRefused(
        f"${missing:,.2f} more is over this installation's cap: ${spending.left:,.2f} of ${spending.cap:,.2f} in "
        f"{spending.days} days are left for all campaigns together.",
        "Close campaigns that are done, or raise PREFEREE_SPENDING_CAP.",
    )


def _may_not_spend(collection: Collection, missing: Decimal, usable: list[GrantLeft]) -> MayNotSpend:
    left = sum((one.left for one in usable), NOTHING)
    said = (
        f"This would reserve ${missing:,.2f}, and your spending grants have ${left:,.2f} left."
        if usable
        else f"This would reserve ${missing:,.2f} of this installation's crowd money, and nobody has granted you any."
    )
    return MayNotSpend(said, f"Ask {whom_to_ask()} for a spending grant, to you or to {collection.name}.")
