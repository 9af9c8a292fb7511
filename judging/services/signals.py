"""How answers came about, for the researcher: facts and flags of each slot. No decision rests on them."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

from judging.haste import is_fast
from judging.models import Campaign, Choice, PairReport
from judging.services.showing import text_of


def signals_of(campaign: Campaign) -> dict[int, dict[str, Any]]:
    """Slot key → what was recorded while its pair was judged; slots without a choice are left out."""
    choices: dict[int, list[Choice]] = defaultdict(list)
    rows = Choice.objects.filter(slot__submission__campaign=campaign).order_by("slot_id", *Choice.AS_MADE)
    for choice in rows.select_related("slot__left", "slot__right", "slot__submission").iterator(2000):
        choices[choice.slot_id].append(choice)
    reports: dict[int, list[str]] = defaultdict(list)
    for slot, kind in PairReport.objects.filter(submission__campaign=campaign).values_list("slot_id", "kind"):
        reports[slot].append(kind)
    return {
        slot: _signals(campaign, made) | {"reported": ",".join(sorted(reports[slot]))}
        for slot, made in choices.items()
    }


def _signals(campaign: Campaign, made: list[Choice]) -> dict[str, Any]:
    """Of one slot's choices, in the order in which they were made."""
    last = made[-1]
    shown = _total(made, "seconds_shown")
    texts = (text_of(campaign, passage) for passage in (last.slot.left, last.slot.right))
    return {
        "position": last.slot.number,
        "seconds_shown": "" if shown is None else shown,
        "seconds_hidden": "" if (hidden := _total(made, "seconds_hidden")) is None else hidden,
        "changes": sum(one.side != other.side for one, other in pairwise(made)),
        "focus_lost": sum(choice.focus_lost for choice in made),
        "input_method": last.input_method,
        "viewport": last.viewport,
        "fast": "" if shown is None else int(is_fast(shown, *texts)),
        "comment_pasted": int(last.slot.submission.comment_pasted),
    }


def _total(made: list[Choice], field: str) -> float | None:
    """Seconds over all choices; None when no page told any (a form without scripts)."""
    told = [value for choice in made if (value := getattr(choice, field)) is not None]
    return round(sum(told), 2) if told else None
