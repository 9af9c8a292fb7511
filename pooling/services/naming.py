"""Check names of collections, qrel sets and pools, and language tags."""

from __future__ import annotations

import re

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug

from pooling.errors import PoolingError


def check_name(name: str) -> None:
    """Refuse a name that cannot be part of a URL."""
    try:
        validate_slug(name)
    except ValidationError:
        raise PoolingError(
            f"{name!r} cannot be a name.", "Use letters, digits, hyphens and underscores only."
        ) from None
    if len(name) > 80:
        raise PoolingError(f"The name {name!r} is too long.", "Use at most 80 characters.")


def check_language(tag: str) -> None:
    """Refuse an invalid language tag (BCP 47)."""
    if len(tag) > 20 or not re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", tag):
        raise PoolingError(f"{tag!r} is no language tag.", "Give one such as en, ar, ja or zh-Hant.")
