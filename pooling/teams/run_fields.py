"""The run details that a collection requests: chosen built-in details, and its own fields."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from pooling.collections.collection_details import change_fields
from pooling.errors import PoolingError
from pooling.models import AnnouncedRun, Collection, Run
from pooling.rules.run_details import BY_NAME, REPORTED, Detail, details_by_name

MOST_OWN = 20
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
#: Reserved names of columns and fields, which a collection's own field cannot use.
TAKEN = frozenset(
    [field.name for field in Run._meta.get_fields()]
    + [
        "run",
        "tag",
        "group",
        "release",
        "check_only",
        "order",
        "skip_unknown",
        "run_type",
        REPORTED,
        *BY_NAME,
    ]
)


def known_details(collection: Collection) -> dict[str, Detail]:
    """Return every detail that a run of the collection can have, by name."""
    return details_by_name(collection.run_fields.get("own", ()))


def asked_details(collection: Collection) -> dict[str, Detail]:
    """Return the details that the collection requests from teams (default: all built-in details)."""
    known = known_details(collection)
    asked = collection.run_fields.get("asked")
    return known if asked is None else {name: known[name] for name in known if name in asked}


def set_run_fields(
    *, collection: Collection, asked: Sequence[str], own: Sequence[Mapping[str, Any]], who: str
) -> Collection:
    """Choose the details requested for each run (``asked``), and define the collection's own fields (``own``).

    Each own field has a ``name``, a ``label``, a ``definition``, and ``choices`` unless it is free text. The details
    of existing runs stay. Raises PoolingError.
    """
    made = [_checked_own_field(one) for one in own]
    names = [one["name"] for one in made]
    if len(names) > MOST_OWN or len(set(names)) < len(names):
        raise PoolingError(
            f"A collection can have {MOST_OWN} own fields, each with a different name.", "Remove some."
        )
    known = details_by_name(made)
    if strange := [name for name in asked if name not in known]:
        raise PoolingError(f"Unknown run detail {strange[0][:60]!r}.", f"Known details: {', '.join(known)}.")
    wanted = [name for name in known if name in asked]
    fields = {"asked": wanted, "own": made}
    if fields != collection.run_fields:
        said = f"details requested for each run: {', '.join(wanted) or 'none'}"
        change_fields(collection, said[:300], who=who, run_fields=fields)
    return collection


def _checked_own_field(given: Mapping[str, Any]) -> dict[str, Any]:
    name = str(given.get("name", "")).strip()
    if not _NAME.fullmatch(name) or name in TAKEN:
        raise PoolingError(
            f"A field cannot be called {name[:60]!r}.",
            "Start with a lower-case letter, and use at most 40 lower-case letters, digits and underscores. The name "
            "must not be reserved or used by another field.",
        )
    label, definition = (str(given.get(key, "")).strip() for key in ("label", "definition"))
    choices = [str(one).strip() for one in given.get("choices") or () if str(one).strip()]
    if len(label) > 60 or len(definition) > 500 or len(choices) > 50 or any(len(one) > 60 for one in choices):
        raise PoolingError(
            f"The run detail {name!r} has too much text or too many choices.",
            "Use at most 60 characters for its label and each choice, 500 for its definition, and 50 choices.",
        )
    return {"name": name, "label": label, "definition": definition, "choices": list(dict.fromkeys(choices))}


#: Fields that an announcement stores besides the details, with the value that means "not stated".
ANNOUNCED: dict[str, Any] = {
    "team": "",
    "description": "",
    "paper": "",
    "code": "",
    "submitted_on": None,
    "baseline": False,
}


def complete_from_announcement(said: dict[str, Any], announced: AnnouncedRun) -> dict[str, Any]:
    """Return the facts about a run, completed from its announcement. Facts sent with the file take precedence."""
    before = dict(announced.said)
    if before.get("submitted_on"):
        before["submitted_on"] = date.fromisoformat(before["submitted_on"])
    fields = {name: said[name] or before.get(name, empty) for name, empty in ANNOUNCED.items()}
    return said | fields | {"details": before.get("details", {}) | said["details"]}
