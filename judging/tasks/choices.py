"""Save and read the choices that workers make. Each choice is one row, which is appended and never changed.

Nearly all requests in a campaign save one choice. So :func:`append_at_once` checks the submission and inserts the
choice in one statement, on SQLite and PostgreSQL, without any models. Database constraints prevent duplicates.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import count
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import QuerySet

from config import clock
from config.prepared_queries import Prepared, prepared_cursor
from judging.exchange.link_tokens import DIGITS, Page
from judging.models import Choice, Slot, Submission
from judging.rules.layout import ANSWERS, UNDECIDED, scales_with

#: The maximum number of choices saved in one slot, which is more than any person makes.
MOST_CHOICES = 200
#: The upper limit of the recorded number of times that a worker left the page.
MOST_TIMES = 1000
INPUT_METHODS, VIEWPORTS = frozenset(Choice.InputMethod.values), frozenset(Choice.Viewport.values)


@dataclass(frozen=True)
class Signals:
    """The page's report on how a choice was made.

    Times are in seconds: ``seconds`` with the pair on screen, ``hidden`` with the page hidden, and ``age`` since the
    choice was made. ``focus_lost`` is the number of times that the worker left the page.
    """

    seconds: float | None = None
    hidden: float | None = None
    focus_lost: int = 0
    input_method: str = ""
    viewport: str = ""
    age: float = 0.0

    def columns(self) -> dict[str, Any]:
        """Return the values of the columns of :class:`Choice`, limited to those that the page can send."""
        return {
            "seconds_shown": self.seconds,
            "seconds_hidden": self.hidden,
            "focus_lost": max(0, min(self.focus_lost, MOST_TIMES)),
            "input_method": self.input_method if self.input_method in INPUT_METHODS else "",
            "viewport": self.viewport if self.viewport in VIEWPORTS else "",
        }


NO_SIGNALS = Signals()
BY_FORM = Signals(input_method=Choice.InputMethod.FORM)


def is_choice(side: str, sequence: int, answers: Collection[str]) -> bool:
    """Return whether a page whose possible answers are ``answers`` can send this choice and sequence number."""
    return side in answers and 0 <= sequence < MOST_CHOICES


def made_at(age: float, *, opened_at: datetime, before: datetime | None) -> datetime:
    """Return the time by our clock at which a choice was made, ``age`` seconds before it was sent.

    A choice may have waited for a connection. The time is never before the task was opened, nor before the slot's
    earlier choices (``before``).
    """
    made = max(_reported_time(age), opened_at)
    return max(made, before) if before else made


def _reported_time(age: float) -> datetime:
    now = clock.now()
    return min(now - timedelta(seconds=age), now)


def choices_made(submission: Submission) -> dict[int, tuple[str, int]]:
    """Map the slot numbers of a submission, ascending, to the last choice (or "") and the number of choices."""
    return {
        number: (made[-1].side if made else "", len(made)) for number, _, made in _choices_by_slot(submission)
    }


def new_choices(submission: Submission, sides: Mapping[int, str], *, late: bool = False) -> dict[int, Choice]:
    """Map slot numbers to new choices to store: those in the form (``sides``) that differ from the last saved one.

    Each gets the next sequence number. If the page's script is still sending the same choice under that number, the
    two become one row. With ``late``, only slots without a choice are considered.
    """
    found = {}
    for number, slot, made in _choices_by_slot(submission):
        side, last = sides.get(number, ""), made[-1] if made else None
        if not side or (last and (late or last.side == side)):
            continue
        taken = {one.sequence for one in made}
        sequence = next(free for free in count(len(made)) if free not in taken)
        at = made_at(0.0, opened_at=submission.opened_at, before=last and last.at)
        found[number] = Choice(slot_id=slot, sequence=sequence, side=side, chosen_at=at, **BY_FORM.columns())
    return found


class _SavedChoice(NamedTuple):
    sequence: int
    side: str
    at: datetime


def _choices_by_slot(submission: Submission) -> list[tuple[int, int, list[_SavedChoice]]]:
    """Return (number, key, choices) of each slot, by ascending number, with choices in the order they were made."""
    slots: dict[tuple[int, int], list[_SavedChoice]] = {}
    for number, slot, *choice in _SLOTS_WITH_CHOICES(submission.pk):
        made = slots.setdefault((number, slot), [])
        if choice[0] is not None:
            made.append(_SavedChoice(*choice))
    return [(number, slot, made) for (number, slot), made in slots.items()]


def _slots_with_choices(submission: int) -> QuerySet[Slot, tuple[Any, ...]]:
    order = [f"choices__{field}" for field in Choice.AS_MADE]
    slots = Slot.objects.filter(submission=submission).order_by("number", *order)
    return slots.values_list("number", "pk", "choices__sequence", "choices__side", "choices__chosen_at")


_SLOTS_WITH_CHOICES = Prepared(_slots_with_choices)


_APPEND = """
    INSERT INTO judging_choice (slot_id, sequence, side, seconds_shown, seconds_hidden, focus_lost, input_method,
      viewport, chosen_at)
    SELECT slot.id, %s, %s, %s, %s, %s, %s, %s, {latest}(%s, work.opened_at, COALESCE(
      (SELECT MAX(chosen_at) FROM judging_choice WHERE slot_id = slot.id AND sequence < %s), work.opened_at))
    FROM judging_submission work
    JOIN judging_campaign campaign ON campaign.id = work.campaign_id
    JOIN judging_consent consent ON consent.submission_id = work.id
    JOIN judging_slot slot ON slot.submission_id = work.id
    WHERE work.id = %s AND slot.number = %s AND %s IN ('', {digest})
      AND work.state = '{held}' AND work.standing <> '{excluded}' AND campaign.minimum_seconds = 0
      AND campaign.grades BETWEEN %s AND %s AND (campaign.allow_undecided OR %s)
    {lock} ON CONFLICT DO NOTHING
"""
#: The parts of the statement that differ between databases, by vendor.
_DIALECTS = {
    "postgresql": {
        "latest": "GREATEST",
        "digest": f"SUBSTR(ENCODE(SHA256(CONVERT_TO(work.assignment_id, 'UTF8')), 'hex'), 1, {DIGITS})",
        "lock": "FOR SHARE OF work",
    },
    "sqlite": {"latest": "MAX", "digest": f"SUBSTR(SHA256(work.assignment_id), 1, {DIGITS})", "lock": ""},
}


@cache
def _append_statement(vendor: str) -> str:
    held, excluded = Submission.State.HELD.value, Submission.Standing.EXCLUDED.value
    return _APPEND.format(**_DIALECTS[vendor], held=held, excluded=excluded)


def append_at_once(
    page: Page, *, number: int, sequence: int, side: str, signals: Signals = NO_SIGNALS
) -> bool:
    """Append a choice in the usual case; in any other case, change nothing and return False.

    Usually, the task is held by a worker who has consented and is not excluded, the sequence number is new, and the
    campaign has no minimum time per pair. The task cannot be submitted between the check and the
    insertion, because the statement locks the submission's row (on SQLite, the database).
    """
    if not is_choice(side, sequence, ANSWERS):
        return False
    made = connection.ops.adapt_datetimefield_value(_reported_time(signals.age))
    choice = [sequence, side, *signals.columns().values(), made, sequence]
    where = [page.submission_id, number, page.assignment, *scales_with(side), side != UNDECIDED]
    with prepared_cursor(connection) as cursor:
        cursor.execute(_append_statement(connection.vendor), [*choice, *where])
        return bool(cursor.rowcount == 1)
