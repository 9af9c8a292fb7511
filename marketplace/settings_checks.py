"""Warnings about missing settings that workers on a public site rely on, for `python -m marketplace check`."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning, register

_MISSING = {
    "OPERATOR": (
        "Workers cannot see who runs this site.",
        "Set MARKETPLACE_OPERATOR to the operator's name.",
    ),
    "CONTACT": ("Workers have no one to contact.", "Set MARKETPLACE_CONTACT to an e-mail address."),
    "PRIVACY_FILE": (
        "The privacy page does not name your legal basis or a supervisory authority.",
        "Write a text and set MARKETPLACE_PRIVACY_FILE to its path.",
    ),
    "PAYOUT_METHODS": (
        "Workers cannot choose how they are paid.",
        "Set MARKETPLACE_PAYOUT_METHODS, such as: bank transfer,gift card.",
    ),
    "PAYOUT_DAY": (
        "Workers cannot see when they are paid.",
        "Set MARKETPLACE_PAYOUT_DAY to a day of the month, 1 to 28.",
    ),
}


@register()
def check_worker_information(**_: Any) -> list[CheckMessage]:
    """Return a warning for each setting that workers on a public site would miss."""
    if not settings.PRODUCTION:
        return []
    return [
        Warning(said, hint=hint, id=f"marketplace.W{number:03}")
        for number, (name, (said, hint)) in enumerate(_MISSING.items(), 1)
        if not getattr(settings, name)
    ]
