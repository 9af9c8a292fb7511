"""Amounts and times in words, for the worker pages."""

from __future__ import annotations

from datetime import datetime

from django import template

from marketplace import money
from marketplace.models import Assignment, HitType
from marketplace.offers import Offer, read_offer
from marketplace.promises import Coming
from marketplace.services import receipts
from marketplace.services.in_review import coming_for

register = template.Library()


@register.filter
def dollars(cents: int) -> str:
    """``205`` as ``$2.05``."""
    return f"${money.dollars(cents)}"


@register.filter
def offer(kind: HitType) -> Offer:
    """What a task of this kind pays and needs, as pages say it."""
    return read_offer(kind.reward_cents, kind.keywords)


@register.filter
def paid(row: Assignment) -> int:
    """The cents paid for a task so far: the reward when it was approved, and every bonus."""
    reward = row.hit.hit_type.reward_cents if row.status == Assignment.Status.APPROVED else 0
    return reward + sum(bonus.amount_cents for bonus in row.bonuses.all())


@register.filter
def coming(row: Assignment) -> Coming:
    """What a submitted task is still to be paid, as its page or else its listing said."""
    return coming_for(row)


@register.filter
def duration(seconds: float) -> str:
    """``5400`` as ``1 hour 30 minutes``; the two largest units, rounded down."""
    left = max(0, int(seconds))
    parts = []
    for name, size in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {name}{'' if count == 1 else 's'}")
    return " ".join(parts[:2]) or "no time"


@register.filter
def time_limit(kind: HitType) -> str:
    """How long a worker has for a task of this kind: until its page ends it, or until its assignment ends."""
    on_the_page = offer(kind).limit_minutes * 60
    return duration(min(on_the_page or kind.assignment_seconds, kind.assignment_seconds))


@register.filter
def time_left(deadline: datetime, now: datetime) -> str:
    """The time from ``now`` to ``deadline`` in words."""
    return duration((deadline - now).total_seconds())


@register.filter
def ago(moment: datetime, now: datetime) -> str:
    """The time from ``moment`` to ``now`` in words: ``2 hours ago``; its largest unit only."""
    seconds = (now - moment).total_seconds()
    if seconds < 60:
        return "just now"
    words = duration(seconds).split(" ")
    return f"{' '.join(words[:2])} ago"


@register.filter
def ended_by_time(row: Assignment) -> bool:
    """Whether the time for the task ran out, and its page submitted what was done."""
    return receipts.ended_by_time(row)
