"""Results of long analyses, stored under a hash of everything that they depend on."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import date, datetime, timedelta
from enum import Enum
from typing import Any, TypeVar

import numpy as np
from django.conf import settings
from django.db.models import Max, Q, Sum
from pydantic import TypeAdapter

from config import clock
from leaderboard.cache.software_version import software_key
from leaderboard.models import KeptAnalysis

Result = TypeVar("Result")
IN_USE = timedelta(hours=1)
GROUPS_AT_ONCE = 1000
FIGURE = " figure"
"""Suffix of the kinds of stored figures."""


def result_key(kind: str, inputs: list[Any]) -> str:
    """Return the hash of the kind of result, its JSON-ready inputs and the software version."""
    named = json.dumps([kind, software_key(), *inputs], sort_keys=True)
    return hashlib.sha256(named.encode()).hexdigest()


def kept_or_computed(kind: str, inputs: list[Any], compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the stored result for these inputs and this software, or compute it and store it as JSON.

    Two concurrent callers may both compute the result. They get the same result, and one row is stored.
    """
    key = result_key(kind, inputs)
    content = stored_result(key)
    if content is None:
        content = compute()
        store_result(key, kind, content)
    return content


def stored_result(key: str) -> dict[str, Any] | None:
    """Return the result stored under the key, if any, and record that it was used."""
    rows = KeptAnalysis.objects.filter(key=key)
    row = rows.values_list("content", "used_at").first()
    if row is None:
        return None
    content, used_at = row
    now = clock.now()
    if used_at < now - IN_USE:
        rows.update(used_at=now)  # Updated at most once an hour, so that most reads do not write.
    return dict(content)


def latest_for(choices: str) -> tuple[str, dict[str, Any], datetime] | None:
    """Return the key, content and time of the latest result for a request, whatever data it was computed from.

    ``choices`` is the hash of the request.
    """
    row = KeptAnalysis.objects.filter(choices=choices).order_by("-created_at", "-pk").first()
    if row is None:
        return None
    stored_result(row.key)  # Records that the result was used.
    return row.key, dict(row.content), row.created_at


def store_result(key: str, kind: str, content: dict[str, Any], *, group: str = "", choices: str = "") -> None:
    """Store a result unless it is already stored.

    ``group`` is the key of the analysis that a figure belongs to. ``choices`` is the hash of the request, which does
    not depend on the data behind the result.
    """
    row = KeptAnalysis(
        key=key,
        kind=kind,
        content=content,
        group=group or key,
        choices=choices,
        size=len(json.dumps(content).encode()),
        software_version=software_key(),
    )
    KeptAnalysis.objects.bulk_create([row], ignore_conflicts=True)


def forget_old_results() -> int:
    """Delete results past the age limit, and results of other software versions.

    Keys from other versions are never requested again. Figures are stored just before their analysis and are kept a
    day longer, so that no analysis is shown without its figures. Returns the number of deleted rows.
    """
    now, day = clock.now(), timedelta(days=1)
    # During a rolling update, machines create rows of both versions for a while.
    gone = ~Q(software_version=software_key()) & Q(created_at__lt=now - day)
    if settings.KEEP_ANALYSES_DAYS:
        oldest = now - settings.KEEP_ANALYSES_DAYS * day
        gone |= Q(created_at__lt=oldest - day) | (~Q(kind__endswith=FIGURE) & Q(created_at__lt=oldest))
    return KeptAnalysis.objects.filter(gone).delete()[0]


def forget_unused() -> int:
    """Delete the least recently used results until the total size is within the limit.

    An analysis is deleted together with its figures. Anything created or recorded as used within the last hour stays.
    Returns the number of deleted rows.
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
    """Return a stored or computed frozen dataclass, like :func:`kept_or_computed`.

    The dataclass can contain dataclasses, tuples, enums, dates and numbers. It is stored as JSON text, because
    numbers can be NaN, which a JSON column cannot contain.
    """
    adapter = TypeAdapter(type_)

    def content() -> dict[str, Any]:
        return {"text": json.dumps(asdict(compute()), default=_json_default)}  # type: ignore[call-overload]

    return adapter.validate_python(json.loads(kept_or_computed(kind, inputs, content)["text"]))


def _json_default(value: Any) -> Any:
    match value:
        case np.generic():
            return value.item()
        case Enum():
            return value.value
        case date():
            return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be stored as JSON.")
