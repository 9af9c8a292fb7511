"""Check names of collections, qrel sets and pools, and language tags."""

import re
from itertools import chain, count
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db.models import QuerySet

from pooling.errors import PoolingError

MOST_CHARACTERS = 80


def check_name(name: str) -> None:
    """Refuse a name that cannot be part of a URL."""
    try:
        validate_slug(name)
    except ValidationError:
        raise PoolingError(
            f"{name!r} is not a valid name.", "Use letters, digits, hyphens and underscores only."
        ) from None
    if len(name) > MOST_CHARACTERS:
        raise PoolingError(f"The name {name!r} is too long.", f"Use at most {MOST_CHARACTERS} characters.")


def check_language(tag: str) -> None:
    """Refuse an invalid language tag (BCP 47)."""
    if len(tag) > 20 or not re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", tag):
        raise PoolingError(f"{tag!r} is not a language tag.", "Use a tag such as en, ar, ja or zh-Hant.")


def free_name(wanted: str, rows: QuerySet[Any]) -> str:
    """Return the wanted name if no row has it, otherwise the name with the first unused number, from 2."""
    wanted = wanted[: MOST_CHARACTERS - 5]
    taken = set(rows.filter(name__startswith=wanted).values_list("name", flat=True))
    numbered = (f"{wanted}-{number}" for number in count(2))
    return next(name for name in chain([wanted], numbered) if name not in taken)
