"""Numbers, money and times as every page writes them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django import template
from django.template.defaultfilters import pluralize
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince

from config import clock
from leaderboard.board import Estimate
from leaderboard.output import Figure
from leaderboard.output.right_to_left import isolated, runs_left

register = template.Library()
THIN_SPACE = "\u2009"
NOT_THERE = "–"
PIXELS_AN_INCH = 120
_IN_WORDS = re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d UTC\b")
TEXTS = ("run", "run_tag", "team", "release")


@register.filter
def count(number: int | str | None) -> str:
    """A whole number with thin spaces in thousands; a dash for what is not there."""
    return NOT_THERE if number is None or number == "" else f"{number:,}".replace(",", THIN_SPACE)


@register.filter
def many(number: int, words: str) -> str:
    """A whole number and what it counts, as ``many:"query,queries"`` says for one and for more."""
    return f"{count(number)} {pluralize(number, words)}"


@register.filter
def value(number: float | None) -> str:
    """A measure's value: four digits."""
    return NOT_THERE if number is None or math.isnan(number) else f"{number:.4f}"


@register.filter
def bounds(estimate: Estimate) -> str:
    """An interval: ``[0.401, 0.441]``, nothing for one without bounds."""
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        return ""
    return f"[{estimate.low:.3f}, {estimate.high:.3f}]"


@register.filter
def percent(share: float | None) -> str:
    """A share as a percentage of one digit."""
    return NOT_THERE if share is None else f"{share * 100:.1f}"


@register.filter
def names_isolated(sentence: str, names: Iterable[str]) -> str:
    """The sentence with names from right to left kept apart, so that they turn nothing beside them round."""
    turning = sorted(filter(runs_left, names), key=len, reverse=True)
    if not turning:
        return sentence
    return re.sub("|".join(map(re.escape, turning)), lambda match: isolated(match[0]), sentence)


@register.filter
def wins(number: float) -> str:
    """A number of wins, halves allowed."""
    return f"{number:g}"


@register.filter
def dollars(amount: Any) -> str:
    """Dollars and cents."""
    return f"${amount:,.2f}"


@register.filter
def whole(number: float | None) -> str:
    """A number without its fraction, with thin spaces in thousands."""
    return NOT_THERE if number is None else count(round(number))


@register.filter
def soon(moment: datetime | None) -> SafeString | str:
    """When something is foreseen to be, as :func:`ago` has it; what is due now is within a minute."""
    if moment is not None and abs((moment - clock.now()).total_seconds()) < 60:
        return "within a minute"
    return ago(moment)


@register.filter
def ago(moment: datetime | None) -> SafeString | str:
    """How long ago, with the exact time on hover; a script puts that into the reader's zone."""
    if moment is None:
        return NOT_THERE
    now = clock.now()
    if abs((now - moment).total_seconds()) < 60:
        words = "just now"
    elif moment > now:
        words = f"in {timesince(now, moment, depth=1)}"
    else:
        words = f"{timesince(moment, now, depth=1)} ago"
    exact = moment.strftime("%Y-%m-%d %H:%M UTC")
    return format_html('<time datetime="{}" title="{}">{}</time>', moment.isoformat(), exact, words)


@register.filter
def moment(at: datetime | None, digits: str = "minutes") -> SafeString | str:
    """The exact time in UTC, to "minutes" or "seconds"; a script puts it into the reader's zone and names that."""
    if at is None:
        return NOT_THERE
    exact = at.strftime("%Y-%m-%d %H:%M:%S UTC" if digits == "seconds" else "%Y-%m-%d %H:%M UTC")
    return format_html('<time datetime="{}" data-exact="{}">{}</time>', at.isoformat(), digits, exact)


@register.filter
def timed(words: Any) -> SafeString:
    """``words`` with every time that our own sentences give in UTC as an element, as :func:`moment` makes it."""
    text = str(conditional_escape(words))
    # Safe: what was not, is escaped; a time is made by format_html of digits alone.
    return mark_safe(_IN_WORDS.sub(_as_element, text))  # noqa: S308


def _as_element(found: re.Match[str]) -> str:
    try:
        return moment(datetime.fromisoformat(found[0].removesuffix(" UTC")).replace(tzinfo=UTC))
    except ValueError:  # digits that are no time
        return found[0]


@register.filter
def subtract(number: int, less: int) -> int:
    """The difference of two whole numbers."""
    return number - less


@register.simple_tag(takes_context=True)
def page_link(context: dict[str, Any], name: str, number: int) -> SafeString:
    """The query string that turns one of several lists of a page to another of its pages."""
    query = context["request"].GET.copy()
    query[name] = number
    return format_html("?{}", query.urlencode())


@register.simple_tag(takes_context=True)
def sort_link(context: dict[str, Any], field: str) -> SafeString:
    """The query string that sorts by a column: best (or A) first, the other way when it is sorted so."""
    request = context["request"]
    query = request.GET.copy()
    query.pop("page", None)
    now = context.get("sort", "")
    first, other = (field, f"-{field}") if field in TEXTS else (f"-{field}", field)
    query["sort"] = other if now == first else first
    return format_html("?{}", query.urlencode())


@register.simple_tag
def sort_state(now: str, field: str, higher_is_better: bool = True) -> str:
    """What ``aria-sort`` says of a column: with a minus, the best come first."""
    up, down = ("ascending", "descending") if higher_is_better else ("descending", "ascending")
    return {field: up, f"-{field}": down}.get(now, "none")


@register.simple_tag
def sheet_width(figure: Figure) -> int:
    """How wide a printed figure stands on a page, in pixels: a little larger than on paper."""
    return round(figure.width * PIXELS_AN_INCH)
