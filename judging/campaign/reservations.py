"""Reserve the money a campaign can commit, within a person's spending right and the installation's cap.

Every step that lets a campaign commit more money reserves it here: pilots, launches, raised budgets, top-ups, bonuses
by receipt and undone settlements. Repeats and challenges stay within the reservation. Rehearsals pay nobody and
reserve nothing.
"""

from decimal import Decimal

from django.db import transaction
from django.db.models import F

from accounts.models import User
from accounts.services.administrators import whom_to_ask
from config import clock
from config.plurals import many
from judging.campaign.cost import money
from judging.campaign.spending_rights import (
    NOTHING,
    GrantLeft,
    grants_left,
    installation_spending,
    needs_grant,
    summed,
)
from judging.errors import CampaignRefused, MayNotSpend
from judging.models import Campaign, Payment, Purse, Reservation
from pooling.collections.spending_grants import usable_by
from pooling.models import Collection, SpendingGrant


def reserve(campaign: Campaign, total: Decimal, *, by: User | None, who: str = "") -> None:
    """Raise the campaign's reservations to ``total`` dollars, within what ``by`` can spend.

    Safe to call concurrently: the second of two calls sees what the first reserved. Raises MayNotSpend if the grants
    do not suffice, and CampaignRefused beyond the installation's cap.
    """
    if campaign.rehearsal_of_id:
        return
    with transaction.atomic():
        take_turn()
        name = by.get_username() if by else who
        # An amount added after the end is paid at once, so it counts as settled from the start.
        over = Campaign.objects.filter(pk=campaign.pk, state=Campaign.State.CLOSED).exists()
        settled_at = clock.now() if over else None
        Reservation.objects.bulk_create(
            Reservation(campaign=campaign, grant=grant, amount=amount, who=name, settled_at=settled_at)
            for grant, amount in sources(campaign, total, by=by)
        )


def sources(
    campaign: Campaign, total: Decimal, *, by: User | None
) -> list[tuple[SpendingGrant | None, Decimal]]:
    """Return the grants to use, and the dollars to reserve against each, to raise the reservations to ``total``.

    A grant is None if the person needs none. Reserves nothing. Raises the same errors as :func:`reserve`.
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


def release_reservations(campaign: Campaign, total: Decimal) -> None:
    """Reduce the campaign's reservations to ``total`` dollars, beginning with the latest."""
    with transaction.atomic():
        take_turn()
        extra = reserved_for(campaign) - total
        for row in campaign.reservations.order_by("-pk"):
            if extra <= 0:
                break
            back = min(extra, row.amount)
            Reservation.objects.filter(pk=row.pk).update(amount=row.amount - back)
            extra -= back


def settle_reservations(campaign: Campaign) -> None:
    """Reduce the campaign's reservations to what people were or will be paid. Safe to repeat.

    Call it once nothing more is posted. Simulated workers are paid in play money, which does not count.
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
    return summed(campaign.reservations.all())


def take_turn() -> None:
    """Lock the row of the Purse table, so that other reservations wait until this transaction ends.

    To avoid deadlocks, a transaction that also writes a campaign's row calls this first.
    """
    mine = Purse.objects.filter(pk=1)
    if not mine.update(turn=F("turn") + 1):
        Purse.objects.bulk_create([Purse(pk=1)], ignore_conflicts=True)
        mine.update(turn=F("turn") + 1)


def lock_commitments(campaign: Campaign) -> None:
    """Lock the campaign's row until this transaction ends, so that it commits money in one step at a time.

    Everything that compares :func:`judging.campaign.cost.money` with a cap calls this first. Otherwise, two steps
    could spend the same rest of the budget. To avoid deadlocks, :func:`take_turn` and locks of submissions come
    before.
    """
    Campaign.objects.filter(pk=campaign.pk).update(seed=F("seed"))


def _refuse_beyond_cap(missing: Decimal) -> None:
    spending = installation_spending()
    if spending.left is None or missing <= spending.left:
        return
    raise CampaignRefused(
        f"${missing:,.2f} would exceed this installation's cap: ${spending.left:,.2f} of ${spending.cap:,.2f} in "
        f"{many(spending.days, 'day')} is left for all campaigns together.",
        "Close campaigns that are done, or raise PREFEREE_SPENDING_CAP.",
    )


def _may_not_spend(collection: Collection, missing: Decimal, usable: list[GrantLeft]) -> MayNotSpend:
    left = sum((one.left for one in usable), NOTHING)
    said = (
        f"This would reserve ${missing:,.2f}, but your spending grants have only ${left:,.2f} left."
        if usable
        else f"This would reserve ${missing:,.2f} of this installation's crowd money, and nobody has granted you any."
    )
    return MayNotSpend(said, f"Ask {whom_to_ask()} for a spending grant, to you or to {collection.name}.")
