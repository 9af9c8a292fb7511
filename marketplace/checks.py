"""What an operator should still set before people work here: `python -m marketplace check` lists it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning, register

_MISSING = {
    "OPERATOR": ("Workers cannot read who runs this site.", "Set MARKETPLACE_OPERATOR to its name."),
    "CONTACT": ("Workers cannot read whom to ask.", "Set MARKETPLACE_CONTACT to an e-mail address."),
    "PRIVACY_FILE": (
        "The privacy page names neither your legal basis nor a supervisory authority.",
        "Write a text and set MARKETPLACE_PRIVACY_FILE to its file.",
    ),
    "PAYOUT_METHODS": (
        "Workers cannot say how they want to be paid.",
        "Set MARKETPLACE_PAYOUT_METHODS, for instance: bank transfer,gift card.",
    ),
    "PAYOUT_DAY": (
        "Workers cannot read when they are paid.",
        "Set MARKETPLACE_PAYOUT_DAY to a day of the month, 1 to 28.",
    ),
}


@register()
def told_to_workers(**_: Any) -> list[CheckMessage]:
    """Name each setting that people on a public site would miss."""
    if not settings.PRODUCTION:
        return []
    return [
        Warning(said, hint=hint, id=f"marketplace.W{number:03}")
        for number, (name, (said, hint)) in enumerate(_MISSING.items(), 1)
        if not getattr(settings, name)
    ]
