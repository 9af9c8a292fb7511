"""What collections, qrel sets and pools may be called."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug

from pooling.errors import PoolingError


def check_name(name: str) -> None:
    """Refuse a name that could not stand in an address."""
    try:
        validate_slug(name)
    except ValidationError:
        raise PoolingError(
            f"{name!r} cannot be a name.", "Use letters, digits, hyphens and underscores only."
        ) from None
    if len(name) > 80:
        raise PoolingError(f"The name {name!r} is too long.", "Use at most 80 characters.")
