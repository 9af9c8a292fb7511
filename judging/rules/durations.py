"""Durations in words for workers, and deadlines in working days."""

from datetime import datetime, timedelta

from judging.rules.worker_sentences import ENGLISH, Wording

WEEKEND = (5, 6)


def duration_words(seconds: float, wording: Wording = ENGLISH) -> str:
    """Format a duration, rounded down, in its two largest units: "1 hour 5 minutes" or "less than a minute"."""
    words = _unit_words(int(seconds), wording)
    return " ".join(words[:2]) or wording.gettext("less than a minute")


def to_the_second(seconds: float, wording: Wording = ENGLISH) -> str:
    """Format a duration, rounded down to the second, such as "5 minutes 1 second" or "0 seconds"."""
    minutes, rest = divmod(int(seconds), 60)
    words = [_minutes(minutes, wording)] if minutes else []
    words.append(wording.ngettext("{count} second", "{count} seconds", rest).format(count=rest))
    return " ".join(words)


def _unit_words(seconds: int, wording: Wording) -> list[str]:
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    minutes = rest // 60
    words = [
        (days, wording.ngettext("{count} day", "{count} days", days).format(count=days)),
        (hours, wording.ngettext("{count} hour", "{count} hours", hours).format(count=hours)),
        (minutes, _minutes(minutes, wording)),
    ]
    return [said for count, said in words if count]


def _minutes(count: int, wording: Wording) -> str:
    return wording.ngettext("{count} minute", "{count} minutes", count).format(count=count)


def after_working_days(moment: datetime, days: int) -> datetime:
    """Return the same time of day ``days`` working days later, skipping Saturdays and Sundays."""
    while days:
        moment += timedelta(days=1)
        days -= moment.weekday() not in WEEKEND
    return moment


def working_days(count: int, wording: Wording = ENGLISH) -> str:
    """Format a number of working days, such as "3 working days"."""
    return wording.ngettext("{count} working day", "{count} working days", count).format(count=count)
