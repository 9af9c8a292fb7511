"""Choices as they are made: each is one row, appended and never changed.

Nearly all requests of a campaign save one choice, so :func:`append_at_once` asks the database twice and builds no
models. The second statement checks the lease and inserts in one step. It holds on both databases, and the constraints
are theirs.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.utils.dateparse import parse_datetime

from config import clock
from config.prepared_queries import prepared_cursor
from judging.exchange.link_tokens import Page
from judging.models import Choice, Submission
from judging.rules.layout import possible_answers

#: More choices than any person makes in one slot. Further choices are not kept.
MOST_CHOICES = 200
#: Upper limit for the recorded number of times a worker left the page.
MOST_TIMES = 1000


@dataclass(frozen=True)
class Signals:
    """Signals about a choice, as reported by the page: durations in seconds, ``age`` since the choice was made."""

    seconds: float | None = None
    hidden: float | None = None
    focus_lost: int = 0
    input_method: str = ""
    viewport: str = ""
    age: float = 0.0

    def columns(self) -> dict[str, Any]:
        """Return the signals to store, limited to values that the page can send."""
        return {
            "seconds_shown": self.seconds,
            "seconds_hidden": self.hidden,
            "focus_lost": max(0, min(self.focus_lost, MOST_TIMES)),
            "input_method": self.input_method if self.input_method in Choice.InputMethod.values else "",
            "viewport": self.viewport if self.viewport in Choice.Viewport.values else "",
        }


NO_SIGNALS = Signals()
BY_FORM = Signals(input_method=Choice.InputMethod.FORM)


def is_choice(side: str, sequence: int, answers: Collection[str]) -> bool:
    """Return whether a page with these answers can send this one under this number."""
    return side in answers and 0 <= sequence < MOST_CHOICES


def made_at(age: float, *, opened_at: datetime, before: datetime | None) -> datetime:
    """Return when the choice was made, by our clock. A choice may have waited for a connection.

    The time is never before the task was opened, nor before the choices that its page knew of (``before``).
    """
    now = clock.now()
    made = max(min(now - timedelta(seconds=age), now), opened_at)
    return max(made, before) if before else made


def form_choices(submission: Submission, sides: Mapping[int, tuple[str, int]]) -> list[Choice]:
    """Return the choices of a form to insert: slot number → side, and the sequence that a script would give it.

    A script's save may have come first: with the same side it is this choice, with another one it is kept as well.
    Call it while the submission is locked.
    """
    rows = submission.slots.filter(number__in=sides).order_by("number")
    made: dict[int, dict[int, tuple[str, datetime]]] = {}
    slots: dict[int, int] = {}
    known = ("pk", "number", "choices__sequence", "choices__side", "choices__chosen_at")
    for slot, number, sequence, side, at in rows.values_list(*known):
        slots[number] = slot
        made.setdefault(number, {})
        if sequence is not None:
            made[number][sequence] = (side, at)
    found = []
    for number, slot in slots.items():
        side, sequence = sides[number]
        before = made[number]
        while sequence in before and before[sequence][0] != side:
            sequence += 1
        if sequence not in before:
            last = max((at for earlier, (_, at) in before.items() if earlier < sequence), default=None)
            at = made_at(0.0, opened_at=submission.opened_at, before=last)
            found.append(
                Choice(slot_id=slot, sequence=sequence, side=side, chosen_at=at, **BY_FORM.columns())
            )
    return found


_READ = """
    SELECT work.assignment_id, work.opened_at, campaign.grades, campaign.allow_undecided, campaign.minimum_seconds,
      slot.id,
      (SELECT MAX(chosen_at) FROM judging_choice WHERE slot_id = slot.id AND sequence < %s)
    FROM judging_submission work
    JOIN judging_campaign campaign ON campaign.id = work.campaign_id
    JOIN judging_consent consent ON consent.submission_id = work.id
    JOIN judging_slot slot ON slot.submission_id = work.id
    WHERE work.id = %s AND slot.number = %s
"""
_APPEND = """
    INSERT INTO judging_choice (slot_id, sequence, side, seconds_shown, seconds_hidden, focus_lost, input_method,
      viewport, chosen_at)
    SELECT slot.id, %s, %s, %s, %s, %s, %s, %s, %s
    FROM judging_slot slot JOIN judging_submission work ON work.id = slot.submission_id
    WHERE slot.id = %s AND work.state = %s AND work.standing <> %s
"""


def append_at_once(
    page: Page, *, number: int, sequence: int, side: str, signals: Signals = NO_SIGNALS
) -> bool:
    """Append a choice in the usual case: the task is held, agreed to, and this is the first with this sequence.

    Returns False without a change otherwise, whatever the reason. The task cannot be submitted between the check and
    the insertion: the statement locks its row (on SQLite, the database).
    """
    with prepared_cursor(connection) as cursor:
        cursor.execute(_READ, [sequence, page.submission_id, number])
        row = cursor.fetchone()
        if row is None:
            return False
        assignment_id, opened_at, grades, allow_undecided, minimum_seconds, slot, before = row
        allowed = is_choice(side, sequence, possible_answers(grades, allow_undecided=allow_undecided))
        if minimum_seconds or not allowed or not page.is_of(assignment_id):
            return False
        made = made_at(signals.age, opened_at=_time(opened_at), before=before and _time(before))
        values = [sequence, side, *signals.columns().values(), connection.ops.adapt_datetimefield_value(made)]
        lock = "FOR SHARE OF work" if connection.features.has_select_for_update else ""
        held = [slot, Submission.State.HELD, Submission.Standing.EXCLUDED]
        cursor.execute(f"{_APPEND} {lock} ON CONFLICT DO NOTHING", [*values, *held])
        return bool(cursor.rowcount == 1)


def _time(value: datetime | str) -> datetime:
    """Convert a time read without a model: SQLite returns it as text, in UTC."""
    read = parse_datetime(value) if isinstance(value, str) else value
    assert read is not None
    return read if read.tzinfo else read.replace(tzinfo=UTC)
