"""A requester's balance and the amount reserved from it.

Every transaction changes the requester's row last.
"""

from django.db.models import F

from marketplace.errors import RequestError
from marketplace.models import Requester
from marketplace.rules import money


def move_funds(requester_id: int, *, held: int = 0, spent: int = 0) -> None:
    """Reserve ``held`` cents more (fewer if negative), and take ``spent`` cents off the balance.

    Raises InsufficientFunds if the available balance would fall below zero. A single conditional update resolves
    races between calls.
    """
    needed = held + spent
    if held == 0 and spent == 0:
        return
    account = Requester.objects.filter(pk=requester_id)
    if needed > 0:
        account = account.filter(balance_cents__gte=F("held_cents") + needed)
    moved = account.update(held_cents=F("held_cents") + held, balance_cents=F("balance_cents") - spent)
    if not moved:
        available = Requester.objects.get(pk=requester_id).available_cents
        raise RequestError(
            "InsufficientFunds",
            "This Requester has insufficient funds in their account to complete this transaction. "
            f"It needs ${money.protocol_amount(needed)}; ${money.protocol_amount(available)} is available.",
        )
