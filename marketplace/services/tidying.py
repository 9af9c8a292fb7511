"""Removing what nobody needs any more, so that tables do not grow for ever. Facts and money stay, people do not."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.sessions.models import Session

from marketplace.models import Outgoing, RequestToken, SigninLink
from marketplace.services import forgetting, rates
from marketplace.services.tokens import LIFETIME

_KEPT = timedelta(days=30)


def tidy(now: datetime) -> int:
    """Remove spent tokens, sent messages, links and sessions that are over, and forget whom the settings say.

    Returns how many rows that were.
    """
    rows = (
        RequestToken.objects.filter(made_at__lte=now - LIFETIME),
        Outgoing.objects.filter(due_at=None, made_at__lte=now - _KEPT),
        SigninLink.objects.filter(expires_at__lte=now - _KEPT),
        Session.objects.filter(expire_date__lte=now - _KEPT),
    )
    removed = sum(each.delete()[0] for each in rows) + rates.forget_full()
    forgotten = forgetting.forget_idle(now) + forgetting.forget_again(now)["forgotten"]
    return removed + forgetting.erase_words(now) + forgotten
