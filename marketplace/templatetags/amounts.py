"""Amounts and times in words, for the worker pages."""

from datetime import datetime, timedelta

from django import template

from marketplace.models import Assignment, HitType
from marketplace.rules import money
from marketplace.rules.offers import Offer, read_offer
from marketplace.services.worker.in_review import coming_for
from marketplace.services.worker.receipts import ended_by_time

register = template.Library()
register.filter("coming", coming_for)
register.filter("ended_by_time", ended_by_time)


@register.filter
def dollars(cents: int) -> str:
    """Format ``205`` as ``$2.05``."""
    return f"${money.protocol_amount(cents)}"


@register.filter
def offer(kind: HitType) -> Offer:
    """Return the pay, size and languages of a task of this HIT type."""
    return read_offer(kind.reward_cents, kind.keywords)


@register.filter
def paid(row: Assignment) -> int:
    """Return the cents paid for a task so far: the reward if it was approved, and every bonus."""
    reward = row.hit.hit_type.reward_cents if row.status == Assignment.Status.APPROVED else 0
    return reward + sum(bonus.amount_cents for bonus in row.bonuses.all())


@register.filter
def duration(seconds: float) -> str:
    """Format ``5400`` as ``1 hour 30 minutes``: the two largest units, rounded down."""
    left = max(0, int(seconds))
    parts = []
    for name, size in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {name}{'' if count == 1 else 's'}")
    return " ".join(parts[:2]) or "no time"


@register.filter
def time_limit(kind: HitType) -> str:
    """Return the time limit for a task of this HIT type: the page's or the assignment's, whichever is shorter."""
    on_the_page = offer(kind).limit_minutes * 60
    return duration(min(on_the_page or kind.assignment_seconds, kind.assignment_seconds))


@register.filter
def time_left(deadline: datetime, now: datetime) -> str:
    """Return the time from ``now`` to ``deadline`` in words."""
    return duration((deadline - now).total_seconds())


@register.filter
def page_time_left(row: Assignment, now: datetime) -> str:
    """Describe the time left on the task's own page. Only the page knows whether the worker was given more time."""
    ends = (row.accepted_at or now) + timedelta(minutes=offer(row.hit.hit_type).limit_minutes)
    limit = time_limit(row.hit.hit_type)
    if ends > now:
        return f"{time_left(ends, now)} left of {limit}"
    return f"the limit of {limit} is over, unless you added time on the task's page"


@register.filter
def ago(moment: datetime, now: datetime) -> str:
    """Return the time from ``moment`` to ``now`` in words, such as ``2 hours ago``: only the largest unit."""
    seconds = (now - moment).total_seconds()
    if seconds < 60:
        return "just now"
    words = duration(seconds).split(" ")
    return f"{' '.join(words[:2])} ago"
