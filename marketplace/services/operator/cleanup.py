"""Remove expired data, so that tables do not grow forever, and erase personal data. Tasks and payments stay."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.contrib.sessions.models import Session

from marketplace.models import Outgoing, RequestToken, SigninLink
from marketplace.services import rates
from marketplace.services.operator import erasure
from marketplace.services.request_tokens import LIFETIME
from marketplace.sweep import Sweep

_KEPT = timedelta(days=30)


def tidy(now: datetime) -> int:
    """Remove used tokens, sent messages, expired links and sessions, and forget workers as configured.

    Returns the number of rows removed or erased. A failed step does not stop the others; SweepFailed is raised at the
    end.
    """
    rows = {
        "request tokens": RequestToken.objects.filter(made_at__lte=now - LIFETIME),
        "sent messages": Outgoing.objects.filter(due_at=None, made_at__lte=now - _KEPT),
        "sign-in links": SigninLink.objects.filter(expires_at__lte=now - _KEPT),
        "sessions": Session.objects.filter(expire_date__lte=now - _KEPT),
    }
    steps: dict[str, Callable[[], int]] = {
        f"removing {what}": lambda over=over: over.delete()[0] for what, over in rows.items()
    } | {
        "removing rates": rates.forget_full,
        "forgetting idle workers": lambda: erasure.forget_idle(now),
        "forgetting again": lambda: erasure.forget_again(now)["forgotten"],
        "erasing letters and messages": lambda: erasure.erase_words(now),
    }
    sweep, removed = Sweep("Tidying"), 0
    for what, step in steps.items():
        with sweep.step(what):
            removed += step()
    sweep.end()
    return removed
