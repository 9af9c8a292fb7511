"""Erase the crowd's ids of a worker from texts that may quote them: calls, errors, messages, jobs, logs and reasons.

Columns that store such an id are cleared elsewhere (judging/people/rights.py). But the crowd's errors quote ids and
people type them into reasons, and these texts belong to rows that stay.
"""

import re
from collections.abc import Sequence
from typing import Any

from django.db.models import Model, Q, TextField
from django.db.models.functions import Cast

from config.background.models import Event, Job
from judging.models import (
    Appeal,
    CampaignChange,
    CrowdCall,
    Discrepancy,
    Exclusion,
    GoldPair,
    PairReport,
    Payment,
    RightsRequest,
    Submission,
    WorkerMessage,
)

ERASED = "(erased)"
#: Maps each table to those of its columns whose text may contain an id.
TEXTS: dict[type[Model], tuple[str, ...]] = {
    Appeal: ("words", "settled_why"),
    CampaignChange: ("what", "why"),
    CrowdCall: ("request", "reply", "error_message", "next_step"),
    Discrepancy: ("detail", "resolution"),
    Event: ("facts",),
    Exclusion: ("reason", "reversed_why"),
    GoldPair: ("decided_why",),
    Job: ("arguments", "progress_message", "result", "failure_message", "next_step"),
    PairReport: ("words", "settled_why"),
    Payment: ("reason", "decided_why"),
    RightsRequest: ("why", "done"),
    Submission: ("comment",),
    WorkerMessage: ("subject", "text", "failure"),
}


def erase_ids(ids: Sequence[str]) -> int:
    """Replace these ids in all :data:`TEXTS` where they are whole words; return the number of changed rows."""
    ids = [one for one in ids if one]
    return sum(_erase(model, columns, ids) for model, columns in TEXTS.items()) if ids else 0


def _erase(model: type[Model], columns: Sequence[str], ids: Sequence[str]) -> int:
    quoting = Q()
    for column in columns:
        for one in ids:
            quoting |= Q(**{f"{column}_as_text__contains": one})
    texts = {f"{column}_as_text": Cast(column, TextField()) for column in columns}
    word = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, ids))})(?![A-Za-z0-9])")
    changed = 0
    for row in model._default_manager.annotate(**texts).filter(quoting).only("pk", *columns).iterator():
        before = {column: getattr(row, column) for column in columns}
        after = {column: _without(value, word) for column, value in before.items()}
        for column in columns:  # the replacement may be longer than the id
            if (most := getattr(model._meta.get_field(column), "max_length", None)) and after[column]:
                after[column] = after[column][:most]
        if after != before:
            changed += model._default_manager.filter(pk=row.pk).update(**after)
    return changed


def _without(value: Any, word: re.Pattern[str]) -> Any:
    """Return the text or JSON value without the ids. Numbers are kept, since only our own keys are numbers."""
    if isinstance(value, str):
        return word.sub(ERASED, value)
    if isinstance(value, dict):
        return {word.sub(ERASED, key): _without(one, word) for key, one in value.items()}
    return [_without(one, word) for one in value] if isinstance(value, list) else value
