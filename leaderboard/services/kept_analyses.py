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
from django.db.models import Q
from pydantic import TypeAdapter

from config import clock
from leaderboard.models import KeptAnalysis
from leaderboard.services.software import software_version

Result = TypeVar("Result")
FIGURE = " figure"
"""How the kinds of kept figures end."""


def key_of(kind: str, inputs: list[Any]) -> str:
    """The hash of a kind of result, its inputs (JSON-ready) and this software."""
    named = json.dumps([kind, software_version(), *inputs], sort_keys=True)
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
    """What is kept under the key, if anything is."""
    content: dict[str, Any] | None = (
        KeptAnalysis.objects.filter(key=key).values_list("content", flat=True).first()
    )
    return content


def keep(key: str, kind: str, content: dict[str, Any]) -> None:
    """Keep it; who comes second changes nothing."""
    row = KeptAnalysis(key=key, kind=kind, content=content, software_version=software_version())
    KeptAnalysis.objects.bulk_create([row], ignore_conflicts=True)


def forget_old() -> int:
    """Delete what was made longer ago than the setting says, or by other software, whose keys nobody asks for again.

    Figures stay a day longer than the analysis that they were made just before, so that none is shown without them.
    Returns how many rows went.
    """
    now, day = clock.now(), timedelta(days=1)
    # Machines that are brought up to date one after the other make rows of both versions for a while.
    gone = ~Q(software_version=software_version()) & Q(created_at__lt=now - day)
    if settings.KEEP_ANALYSES_DAYS:
        oldest = now - settings.KEEP_ANALYSES_DAYS * day
        gone |= Q(created_at__lt=oldest - day) | (~Q(kind__endswith=FIGURE) & Q(created_at__lt=oldest))
    return KeptAnalysis.objects.filter(gone).delete()[0]


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
