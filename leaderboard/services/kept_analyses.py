"""Results of long analyses, kept under a hash of all that they depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import date, timedelta
from enum import Enum
from typing import Any, TypeVar

import numpy as np
from django.conf import settings
from django.db.models import Max, Q, Sum
from pydantic import TypeAdapter

from config import clock
from leaderboard.models import KeptAnalysis
from leaderboard.services.software import software_key

Result = TypeVar("Result")
IN_USE = timedelta(hours=1)
GROUPS_AT_ONCE = 1000
FIGURE = " figure"
"""How the kinds of kept figures end."""


def key_of(kind: str, inputs: list[Any]) -> str:
    """The hash of a kind of result, its inputs (JSON-ready) and this software."""
    named = json.dumps([kind, software_key(), *inputs], sort_keys=True)
    return hashlib.sha256(named.encode()).hexdigest()


def kept(kind: str, inputs: list[Any], compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What ``compute`` gives (JSON-ready), or what it gave for the same inputs under the same software before.

    Two callers at once may both compute; they find the same, and one row stays.
    """
    key = key_of(kind, inputs)
    content = found(key)
    if content is None:
        content = compute()
        keep(key, kind, content)
    return content


def found(key: str) -> dict[str, Any] | None:
    """What is kept under the key, if anything is; it counts as used now."""
    rows = KeptAnalysis.objects.filter(key=key)
    row = rows.values_list("content", "used_at").first()
    if row is None:
        return None
    content, used_at = row
    now = clock.now()
    if used_at < now - IN_USE:
        rows.update(used_at=now)  # not at every look: reading stays reading
    return dict(content)


def keep(key: str, kind: str, content: dict[str, Any], *, group: str = "") -> None:
    """Keep it; who comes second changes nothing. ``group``: the key of the analysis that a figure belongs to."""
    row = KeptAnalysis(
        key=key,
        kind=kind,
        content=content,
        group=group or key,
        size=len(json.dumps(content).encode()),
        software_version=software_key(),
    )
    KeptAnalysis.objects.bulk_create([row], ignore_conflicts=True)


def forget_old() -> int:
    """Delete what was made longer ago than the setting says, or by other software, whose keys nobody asks for again.

    Figures stay a day longer than the analysis that they were made just before, so that none is shown without them.
    Returns how many rows went.
    """
    now, day = clock.now(), timedelta(days=1)
    # Machines that are brought up to date one after the other make rows of both versions for a while.
    gone = ~Q(software_version=software_key()) & Q(created_at__lt=now - day)
    if settings.KEEP_ANALYSES_DAYS:
        oldest = now - settings.KEEP_ANALYSES_DAYS * day
        gone |= Q(created_at__lt=oldest - day) | (~Q(kind__endswith=FIGURE) & Q(created_at__lt=oldest))
    return KeptAnalysis.objects.filter(gone).delete()[0]


def forget_unused() -> int:
    """Delete what was unused for longest, until the rest takes no more room than the setting allows.

    An analysis goes with its figures. What was made or shown within the hour stays. Returns how many rows went.
    """
    if not settings.KEEP_ANALYSES_BYTES:
        return 0
    groups = (
        KeptAnalysis.objects.order_by()
        .values_list("group")
        .annotate(room=Sum("size"), used=Max("used_at"))
        .order_by("-used", "group")
    )
    idle, taken, gone = clock.now() - IN_USE, 0, []
    for group, room, used in groups:
        taken += room
        if taken > settings.KEEP_ANALYSES_BYTES and used < idle:
            gone.append(group)
    parts = (gone[first : first + GROUPS_AT_ONCE] for first in range(0, len(gone), GROUPS_AT_ONCE))
    return sum(KeptAnalysis.objects.filter(group__in=part).delete()[0] for part in parts)


def kept_object(kind: str, inputs: list[Any], type_: type[Result], compute: Callable[[], Result]) -> Result:
    """The same for frozen dataclasses (of dataclasses, tuples, enums, dates, numbers), NaN included.

    They are kept as a text of JSON: a JSON column knows no NaN.
    """
    adapter = TypeAdapter(type_)

    def content() -> dict[str, Any]:
        return {"text": json.dumps(asdict(compute()), default=_plain)}  # type: ignore[call-overload]

    return adapter.validate_python(json.loads(kept(kind, inputs, content)["text"]))


def _plain(value: Any) -> Any:
    match value:
        case np.generic():
            return value.item()
        case Enum():
            return value.value
        case date():
            return value.isoformat()
    raise TypeError(f"{type(value).__name__} can't be kept.")
