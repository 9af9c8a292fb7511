"""The names people sign in with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError


def refuse_addresses(name: str) -> None:
    """Refuse a name that looks like an e-mail address: it could be another person's, who is meant by it then."""
    if "@" in name:
        raise ValidationError(
            "A name cannot have @ in it. You can sign in with your e-mail address all the same."
        )


VALIDATORS: list[Callable[[Any], None]] = [UnicodeUsernameValidator(), refuse_addresses]
