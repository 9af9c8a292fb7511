"""Numbers as text, with as many digits as are meaningful, the same in papers, terminals and pages."""

from __future__ import annotations

import math

from leaderboard.output.table import DIGITS, Column, Interval, Kind, Value

NOT_THERE = "–"
MINUS = "−"
LEAST_P = 1e-300
#: Decimals of the bounds of a measure's interval.
BOUND_DIGITS = 3


class Rounded(float):
    """A measure's value published with fewer decimals. Every output shows exactly these decimals."""

    decimals: int

    @classmethod
    def of(cls, value: float, decimals: int) -> Rounded:
        """Round a value to ``decimals``. With 0 decimals, return NaN, because only the order of runs is published."""
        found = cls(round(value, decimals) if decimals and not math.isnan(value) else math.nan)
        found.decimals = decimals
        return found


def digits_of(value: float, usual: int) -> int:
    """Return how many decimals to show: ``usual``, or fewer if the value was rounded to fewer."""
    return min(usual, value.decimals) if isinstance(value, Rounded) else usual


def number_text(value: Value, kind: Kind) -> str:
    """Return a value as text; a dash for missing values and NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NOT_THERE
    if isinstance(value, Interval):
        return _interval_text(value, kind)
    if isinstance(value, str) or kind is Kind.TEXT:
        return str(value)
    return _plain_number_text(value, kind)


def column_head(column: Column) -> str:
    """Return a column's head. Columns of shares get "(%)", unless their label or group already contains "%"."""
    in_percent = column.kind in (Kind.SHARE, Kind.SHARE_INTERVAL)
    return f"{column.label} (%)" if in_percent and "%" not in column.group + column.label else column.label


def is_number(kind: Kind) -> bool:
    """Return whether a column of this kind contains numbers, so that it is right-aligned."""
    return kind is not Kind.TEXT


def p_value_text(p: float) -> str:
    """Return a p-value with three significant digits: ``0.730``, ``0.00387``, ``3.22e-12`` (below 0.0001)."""
    if p < LEAST_P:
        return "<1e-300"
    if p < 1e-4:
        return f"{p:.2e}".replace("e-0", "e-")
    digits = max(2, 2 - math.floor(math.log10(p)))
    return f"{p:.{digits}f}"


def _plain_number_text(value: float, kind: Kind) -> str:
    match kind:
        case Kind.P:
            return p_value_text(value)
        case Kind.SHARE:
            return _with_minus_sign(f"{value * 100:.1f}")
        case Kind.COUNT:
            return _with_minus_sign(f"{value:,.0f}")
        case Kind.MONEY | Kind.NUMBER:
            return _with_minus_sign(f"{value:,.2f}")
        case Kind.CHANGE:
            return _with_minus_sign(f"{value:+.4f}")
        case Kind.SHIFT:
            return _with_minus_sign(f"{value:+.0f}") if value else "="
    return _with_minus_sign(f"{value:.{digits_of(value, DIGITS)}f}")


def _interval_text(interval: Interval, kind: Kind) -> str:
    """Return an interval as text, such as ``0.4213 [0.401, 0.441]``; only the value if it has no bounds.

    Bounds of measures and changes have at most three decimals. Integer bounds have no decimals.
    """
    plain = {Kind.INTERVAL: Kind.MEASURE, Kind.SHARE_INTERVAL: Kind.SHARE}.get(kind, kind)
    value = _plain_number_text(interval.value, plain)
    if any(math.isnan(bound) for bound in (interval.low, interval.high)):
        return value
    return f"{value} [{_bound_text(interval.low, plain)}, {_bound_text(interval.high, plain)}]"


def _bound_text(value: float, kind: Kind) -> str:
    if kind is Kind.CHANGE:
        return _with_minus_sign(f"{value:+.3f}")
    if kind is Kind.MEASURE:
        return _with_minus_sign(f"{value:.{digits_of(value, BOUND_DIGITS)}f}")
    return _plain_number_text(value, Kind.COUNT if isinstance(value, int) else kind)


def _with_minus_sign(text: str) -> str:
    """Return a number's text with a real minus sign (U+2212), or without a sign if it rounds to zero."""
    if text.startswith("-") and not text.strip("-0.").strip():
        text = text[1:]
    return text.replace("-", MINUS)
