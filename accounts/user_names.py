from collections.abc import Callable
from typing import Any

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError


def refuse_addresses(name: str) -> None:
    """Raise ValidationError for a name that contains @, because it could be another person's e-mail address."""
    if "@" in name:
        raise ValidationError("A name cannot contain @. You can still sign in with your e-mail address.")


VALIDATORS: list[Callable[[Any], None]] = [UnicodeUsernameValidator(), refuse_addresses]
