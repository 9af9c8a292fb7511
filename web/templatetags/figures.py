"""Numbers, money and times as every page writes them."""

import math
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from django import template
from django.template.defaultfilters import pluralize
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince

from config import clock
from judging.models import Campaign
from judging.rules.screening import GOLD_PAIR
from judging.rules.slips import percent_text
from leaderboard.board.board_output import labels_title
from leaderboard.board.standings import Standing
from leaderboard.output import Figure
from leaderboard.output.numbers import BOUND_DIGITS, digits_of
from leaderboard.output.right_to_left import isolate_name, runs_left
from leaderboard.output.table import DIGITS
from leaderboard.scoring.measure_names import is_measure, parse_measure

register = template.Library()
register.filter(labels_title)
NOT_THERE = "–"
PIXELS_AN_INCH = 120
_IN_WORDS = re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d UTC\b")
TEXTS = ("run", "run_tag", "team", "release")


@register.filter
def count(number: int | str | None) -> str:
    """Return a whole number such as 2,046; a dash for None."""
    return NOT_THERE if number is None or number == "" else f"{number:,}"


@register.filter
def tenths(number: float) -> str:
    """Return a number with one digit after the point, such as 2,046.0."""
    return f"{number:,.1f}"


@register.filter("many")
def count_with_noun(number: int, words: str) -> str:
    """Return a whole number with its noun. ``words``: singular and plural, such as ``query,queries``."""
    return f"{count(number)} {pluralize(number, words)}"


@register.filter
def value(number: float | str | None) -> str:
    """Return a measure's value with four decimals, or as many as it was rounded to."""
    if number is None or isinstance(number, str) or math.isnan(number):
        return NOT_THERE
    return f"{number:.{digits_of(number, DIGITS)}f}"


@register.filter
def mean_name(measure: str) -> str:
    """Return a measure's name on pages, which is the name of its mean: ``MRR@10`` for ``RR@10``."""
    return parse_measure(measure).mean_name if is_measure(measure) else measure


@register.filter
def signed(number: float | None) -> str:
    """Return a difference with its sign and four digits; zero has no sign."""
    if number is None or math.isnan(number):
        return NOT_THERE
    text = f"{number:+.4f}"
    return text.replace("-", "−") if float(text) else text[1:]


@register.filter("p_value")
def p_value_words(p: float) -> str:
    """Return "p = 0.0123" with at most three significant digits, or "p < 0.0001"; an empty string for NaN."""
    if math.isnan(p):
        return ""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.3g}"


@register.filter
def bounds(standing: Standing) -> str:
    """Return an interval such as ``[0.401, 0.441]``, or an empty string without bounds."""
    if math.isnan(standing.low) or math.isnan(standing.high):
        return ""
    digits = digits_of(standing.low, BOUND_DIGITS)
    return f"[{standing.low:.{digits}f}, {standing.high:.{digits}f}]".replace("-", "−")


@register.simple_tag
def span_bar(standing: Standing, highest: float, reference: float | None = None) -> SafeString | str:
    """Return a bar of the value with its interval, on a scale from 0 to ``highest``.

    ``reference`` is a value to compare with, drawn as a dashed line. Screen readers skip the bar, because the numbers
    beside it give the same values.
    """
    if math.isnan(standing.value):
        return ""

    def across(number: float) -> str:
        return f"{100 * min(max(number, 0), highest) / highest:.1f}"

    span = format_html('<path d="M{} 5H{}" class="span"/>', across(standing.low), across(standing.high))
    line = ""
    if reference is not None and not math.isnan(reference):
        line = format_html('<path d="M{} 0V10" class="reference"/>', across(reference))
    return format_html(
        '<svg class="span-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect width="{}" height="10"/>{}{}</svg>',
        across(standing.value),
        "" if math.isnan(standing.low) else span,
        line,
    )


@register.simple_tag
def difference_bars(heights: Sequence[float]) -> SafeString:
    """Return one bar per number in [-1, 1], drawn up or down from the middle."""
    bars = (
        ("b" if one > 0 else "a", place, f"{10 - max(one, 0) * 10:.2f}", f"{abs(one) * 10:.2f}")
        for place, one in enumerate(heights)
    )
    drawn = format_html_join("", '<rect class="{}" x="{}" y="{}" width="0.8" height="{}"/>', bars)
    return format_html(
        '<svg class="differences" viewBox="0 0 {} 20" preserveAspectRatio="none" aria-hidden="true">{}</svg>',
        max(len(heights), 1),
        drawn,
    )


@register.simple_tag
def heat_strip(values: Sequence[float] | None) -> SafeString | str:
    """Return a strip of cells for values from 0 to 1, darker for higher values; equal neighbors share a cell."""
    if not values:
        return ""
    cells, place = [], 0
    for shade, equal in groupby(values, "{:.2f}".format):
        width = sum(1 for _ in equal)
        if shade != "0.00":
            cells.append(f'<rect x="{place}" width="{width}" height="1" fill-opacity="{shade}"/>')
        place += width
    return format_html(
        '<svg class="heat" viewBox="0 0 {} 1" preserveAspectRatio="none" aria-hidden="true">{}</svg>',
        len(values),
        mark_safe("".join(cells)),  # noqa: S308 -- numbers only
    )


@register.filter
def rank_range(standing: Standing) -> str:
    """Return the ranks that a run may truly have, such as "2–5"; an empty string for the perfect run."""
    if standing.first is None or standing.last is None:
        return ""
    return f"{standing.first}" if standing.first == standing.last else f"{standing.first}–{standing.last}"


@register.filter
def slip_rate(share: float) -> str:
    """Return a small rate as a percentage, rounded as in the forecast."""
    return f"{percent_text(share)}%"


@register.filter
def percent(share: float | None) -> str:
    """Return a share as a percentage with one digit after the point, without the sign."""
    return NOT_THERE if share is None else f"{share * 100:.1f}"


@register.filter
def names_isolated(sentence: str, names: Iterable[str]) -> str:
    """Return the sentence with right-to-left names isolated, so that they do not reorder the text around them."""
    turning = sorted(filter(runs_left, names), key=len, reverse=True)
    if not turning:
        return sentence
    return re.sub("|".join(map(re.escape, turning)), lambda match: isolate_name(match[0]), sentence)


@register.filter
def wins(number: float) -> str:
    """Return a number of wins, which may include a half."""
    return f"{number:g}"


@register.filter
def dollars(amount: Any) -> str:
    """Return an amount in dollars and cents."""
    return f"${amount:,.2f}"


@register.filter
def whole(number: float | None) -> str:
    """Return a number rounded to a whole number; a dash for None."""
    return NOT_THERE if number is None else count(round(number))


@register.filter
def soon(moment: datetime | None) -> SafeString | str:
    """Return how far ahead a time is, like :func:`ago`; "within a minute" if it is due now."""
    if moment is not None and abs((moment - clock.now()).total_seconds()) < 60:
        return "within a minute"
    return ago(moment)


@register.filter
def ago(moment: datetime | None) -> SafeString | str:
    """Return how long ago a time is, with the exact time on hover; a script converts it to the reader's time zone."""
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
    """Return the exact time in UTC, to "minutes" or "seconds"; a script converts it to the reader's time zone."""
    if at is None:
        return NOT_THERE
    exact = at.strftime("%Y-%m-%d %H:%M:%S UTC" if digits == "seconds" else "%Y-%m-%d %H:%M UTC")
    return format_html('<time datetime="{}" data-exact="{}">{}</time>', at.isoformat(), digits, exact)


@register.filter
def timed(words: Any) -> SafeString:
    """Return ``words`` as HTML, with every UTC time formatted as in :func:`moment`."""
    text = str(conditional_escape(words))
    # Safe: the text is escaped, and format_html builds the times from digits only.
    return mark_safe(_IN_WORDS.sub(_as_element, text))  # noqa: S308


def _as_element(found: re.Match[str]) -> str:
    try:
        return moment(datetime.fromisoformat(found[0].removesuffix(" UTC")).replace(tzinfo=UTC))
    except ValueError:  # digits that are not a valid time
        return found[0]


@register.filter
def subtract(number: int, less: int) -> int:
    """Return the difference of two whole numbers."""
    return number - less


@register.simple_tag(takes_context=True)
def page_link(context: dict[str, Any], name: str, number: int) -> SafeString:
    """Return the query string for another page of a list; ``name``: its parameter in the address."""
    query = context["request"].GET.copy()
    query[name] = number
    return format_html("?{}", query.urlencode())


@register.simple_tag(takes_context=True)
def sort_link(context: dict[str, Any], field: str) -> SafeString:
    """Return the query string that sorts by a column, or reverses the order if it is already sorted.

    Text columns start with A, other columns with the best value.
    """
    request = context["request"]
    query = request.GET.copy()
    query.pop("page", None)
    now = context.get("sort", "")
    first, other = (field, f"-{field}") if field in TEXTS else (f"-{field}", field)
    query["sort"] = other if now == first else first
    return format_html("?{}", query.urlencode())


@register.simple_tag
def sort_state(now: str, field: str, higher_is_better: bool = True) -> str:
    """Return a column's ``aria-sort``. A minus before the field puts the best first."""
    up, down = ("ascending", "descending") if higher_is_better else ("descending", "ascending")
    return {field: up, f"-{field}": down}.get(now, "none")


@register.simple_tag
def sheet_width(figure: Figure) -> int:
    """Return the on-screen width of a printed figure in pixels, slightly larger than on paper."""
    return round(figure.width * PIXELS_AN_INCH)


@register.filter
def gold_words(campaign: Campaign | str) -> str:
    """Return the term for what workers are tested with: gold pair, or test passage if they grade single passages.

    The form for a new campaign has no campaign yet.
    """
    return campaign.gold_words if isinstance(campaign, Campaign) else GOLD_PAIR
