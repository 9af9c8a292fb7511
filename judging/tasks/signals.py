"""Signals of how each slot was answered, for the researcher's export."""

from collections import defaultdict
from itertools import pairwise
from typing import Any

from judging.models import Campaign, Choice, PairReport
from judging.rules.reading_speed import is_fast
from judging.tasks.displayed_pairs import text_of


def signals_of(campaign: Campaign) -> dict[int, dict[str, Any]]:
    """Map the keys of the campaign's slots with choices to their signals, by the column names of the export."""
    choices: dict[int, list[Choice]] = defaultdict(list)
    rows = Choice.objects.filter(slot__submission__campaign=campaign).order_by("slot_id", *Choice.AS_MADE)
    for choice in rows.select_related("slot__left", "slot__right", "slot__submission").iterator(2000):
        choices[choice.slot_id].append(choice)
    reports: dict[int, list[str]] = defaultdict(list)
    for slot, kind in PairReport.objects.filter(submission__campaign=campaign).values_list("slot_id", "kind"):
        reports[slot].append(kind)
    return {
        slot: _signals_of_slot(campaign, made) | {"reported": ",".join(sorted(reports[slot]))}
        for slot, made in choices.items()
    }


def _signals_of_slot(campaign: Campaign, made: list[Choice]) -> dict[str, Any]:
    """Return the signals of one slot from its choices, which are given in the order in which they were made."""
    last = made[-1]
    shown = _total_seconds(made, "seconds_shown")
    shown_passages = [last.slot.left, *([] if campaign.grades else [last.slot.right])]
    texts = (text_of(campaign, passage) for passage in shown_passages)
    return {
        "position": last.slot.number,
        "seconds_shown": "" if shown is None else shown,
        "seconds_hidden": "" if (hidden := _total_seconds(made, "seconds_hidden")) is None else hidden,
        "changes": sum(one.side != other.side for one, other in pairwise(made)),
        "focus_lost": sum(choice.focus_lost for choice in made),
        "input_method": last.input_method,
        "viewport": last.viewport,
        "fast": "" if shown is None else int(is_fast(shown, *texts)),
        "comment_pasted": int(last.slot.submission.comment_pasted),
    }


def _total_seconds(made: list[Choice], field: str) -> float | None:
    """Return the sum of this field over a slot's choices; None if no choice has a value.

    For example, choices from a form that was sent without scripts have none.
    """
    told = [value for choice in made if (value := getattr(choice, field)) is not None]
    return round(sum(told), 2) if told else None
