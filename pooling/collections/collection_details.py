"""Change a collection's description and settings, and log each change."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from pooling.collections.lookups import qrel_set_named
from pooling.collections.members import log
from pooling.errors import PoolingError
from pooling.models import Collection

#: Field of the description → its maximum length in characters.
MOST = {"title": 200, "description": 10_000, "license": 200, "citation": 10_000}
#: The highest value that a collection can choose as its limit on passages per query in a run.
DEEPEST = 1_000_000


def describe_collection(*, collection: Collection, changes: Mapping[str, str], who: str) -> list[str]:
    """Change the description. Returns the names of the changed fields. Raises PoolingError."""
    if strange := changes.keys() - MOST.keys():
        raise PoolingError(f"Unknown field {', '.join(sorted(strange))}.", f"Fields: {', '.join(MOST)}.")
    said = {name: text.strip() for name, text in changes.items()}
    for name, text in said.items():
        if len(text) > MOST[name]:
            raise PoolingError(f"The {name} has {len(text)} characters.", f"Use at most {MOST[name]}.")
    changed = [name for name in MOST if name in said and said[name] != getattr(collection, name)]
    if changed:
        fields = {name: said[name] for name in changed}
        change_fields(collection, f"{', '.join(changed)} changed", who=who, **fields)
    return changed


def change_fields(collection: Collection, said: str, *, who: str, **fields: Any) -> None:
    """Save these fields of the collection, and log ``said``."""
    with transaction.atomic():
        Collection.objects.filter(pk=collection.pk).update(**fields)
        log(collection, said, who=who)
    for name, value in fields.items():
        setattr(collection, name, value)


def set_board_labels(*, collection: Collection, name: str, who: str) -> bool:
    """Choose the leaderboard's default qrel set; return whether that changed.

    Raises NotFound.
    """
    chosen = qrel_set_named(collection, name)
    if chosen == collection.default_labels():
        return False
    said = f"{chosen.name} set as the leaderboard's default labels"
    change_fields(collection, said, who=who, board_labels=chosen)
    return True


def set_run_depth(*, collection: Collection, depth: int, who: str) -> int:
    """Set the maximum number of passages per query in a run; return the previous limit.

    Existing runs are not affected. Raises PoolingError.
    """
    if not 1 <= depth <= DEEPEST:
        raise PoolingError(
            f"A run cannot have {depth:,} passages per query.", f"Choose a number from 1 to {DEEPEST:,}."
        )
    before: int = collection.max_run_depth
    if depth != before:
        said = f"at most {depth:,} passages per query in a run (before: {before:,})"
        change_fields(collection, said, who=who, max_run_depth=depth)
    return before
