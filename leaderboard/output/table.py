"""A table, a figure and an analysis as frozen data, with the facts that must accompany every number.

Every table names run set, version of the labels, measure, number of queries, seed and software.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Self

#: Digits after the point of a measure's value.
DIGITS = 4
#: Measures whose mean has a name of its own.
MEANS = re.compile(r"\b(AP|RR)\b")


def mean_measure(names: str) -> str:
    """Return the names of the measures' means over queries: ``MRR@10, nDCG@10``."""
    return MEANS.sub(r"M\1", names)


class Kind(Enum):
    """The kind of values in a column, which determines digits, alignment and unit."""

    TEXT = "text"
    MEASURE = "measure"
    """A measure's value: four digits."""
    P = "p"
    """A p-value: three significant digits."""
    SHARE = "share"
    """0 to 1, shown as a percentage with one decimal; the head has the %."""
    COUNT = "count"
    """An integer, with thousands separated by commas."""
    MONEY = "money"
    """Two decimals."""
    INTERVAL = "interval"
    """An :class:`Interval`: ``0.4213 [0.401, 0.441]``."""
    SHARE_INTERVAL = "share interval"
    """An :class:`Interval` of shares, as percentages."""
    NUMBER = "number"
    """Two decimals, for mean ranks and lengths."""
    CHANGE = "change"
    """Four digits, always with its sign."""
    SHIFT = "shift"
    """A change of ranks, an integer with its sign; = for no change."""


@dataclass(frozen=True)
class Interval:
    """A value between its bounds, which are NaN if there are none."""

    value: float
    low: float
    high: float

    @property
    def estimate(self) -> tuple[float, float, float]:
        return self.value, self.low, self.high


Value = str | int | float | Interval | None
Estimate = tuple[float | None, float | None, float | None]
"""A value and its bounds; bounds are None or NaN if there is no interval."""


def interval_or_value(estimate: Estimate) -> Interval | float | None:
    """Return an estimate for a cell of a table: its value alone if it has no bounds."""
    value, low, high = estimate
    return value if value is None or low is None or high is None else Interval(value, low, high)


@dataclass(frozen=True)
class Column:
    """``key`` is for programs (CSV, JSON), ``label`` for readers; adjacent columns can share a ``group``."""

    key: str
    label: str
    kind: Kind = Kind.TEXT
    group: str = ""


@dataclass(frozen=True)
class Row:
    """Raw values by column key; missing values are None. ``best`` and ``significant`` name marked columns."""

    values: Mapping[str, Value]
    best: frozenset[str] = frozenset()
    significant: frozenset[str] = frozenset()
    faint: bool = False
    """Whether the row is set apart, like the perfect run."""

    @classmethod
    def of(cls, **values: Value) -> Self:
        return cls(values)


def rows_of(
    items: Iterable[Any], columns: Sequence[Column], **cells: Callable[[Any], Value]
) -> tuple[Row, ...]:
    """Return a row for each item. Cells are computed by the functions ``cells``, or else are the item's attributes.

    An attribute with an ``estimate``, such as a share with its bounds, becomes an interval.
    """

    def cell(item: Any, key: str) -> Value:
        value: Any = cells[key](item) if key in cells else getattr(item, key)
        found: Value = interval_or_value(value.estimate) if hasattr(value, "estimate") else value
        return found

    return tuple(Row({column.key: cell(item, column.key) for column in columns}) for item in items)


@dataclass(frozen=True)
class Facts:
    """The facts behind a number. ``labels`` states which qrels, version and threshold."""

    collection: str
    runs: tuple[str, ...]
    labels: tuple[str, ...]
    measure: str
    queries: int
    """The number of queries; 0 if others computed the values and did not report it."""
    software: str
    seed: int | None = None
    simulated: bool = False
    further: tuple[tuple[str, str], ...] = ()
    """More (name, value) facts, such as ("α", "0.05")."""

    @property
    def run_set(self) -> str:
        """Number of runs, and eight hexadecimal digits that identify them; "" for no runs."""
        if not self.runs:
            return ""
        digest = hashlib.sha256("\n".join(sorted(self.runs)).encode()).hexdigest()[:8]
        return f"{len(self.runs)} run{'s' * (len(self.runs) != 1)} ({digest})"

    @property
    def mean_measure(self) -> str:
        """The measure as the mean over queries: ``MRR@10``, ``MAP``, ``nDCG@10``."""
        return mean_measure(self.measure)

    @property
    def sentence(self) -> str:
        """All facts on one line, shown below tables and figures."""
        runs = [self.run_set] if self.runs else []
        parts = [self.collection, *runs, " and ".join(self.labels), self.mean_measure]
        parts += [f"{self.queries:,} {'query' if self.queries == 1 else 'queries'}"] if self.queries else []
        parts += [f"seed {self.seed}"] if self.seed is not None else []
        parts += [_fact_in_words(name, value) for name, value in self.further]
        parts += ["simulated judges"] if self.simulated else []
        return " · ".join([*parts, f"Preferee {self.software}"])

    def as_dict(self) -> dict[str, Any]:
        """Return the facts for JSON."""
        return {
            "collection": self.collection,
            "runs": list(self.runs),
            "run_set": self.run_set,
            "labels": list(self.labels),
            "measure": self.measure,
            "queries": self.queries or None,
            "seed": self.seed,
            "simulated": self.simulated,
            **dict(self.further),
            "software": self.software,
        }


def _fact_in_words(name: str, value: str) -> str:
    if name == "m":
        return f"{value} tests"
    return f"{'α' if name in ('alpha', 'level') else name} {value}"  # JSON keeps the analyses' own names


@dataclass(frozen=True)
class Table:
    """``key`` is its name in files and JSON; ``caption`` describes the method in a sentence or two."""

    key: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    facts: Facts
    notes: tuple[str, ...] = ()
    significance: str = ""
    """The meaning of a significance mark, as in "p < 0.05, Bonferroni over 66 pairs"."""

    def column(self, key: str) -> Column:
        return next(column for column in self.columns if column.key == key)

    def groups(self) -> list[tuple[str, int]]:
        """Return the heads of groups, above the column heads: (group, number of columns), from left to right."""
        found: list[tuple[str, int]] = []
        for column in self.columns:
            if found and found[-1][0] == column.group:
                found[-1] = (column.group, found[-1][1] + 1)
            else:
                found.append((column.group, 1))
        return found

    def legend(self, *, best: str, significant: str) -> list[str]:
        """Explain the marks in use. ``best`` and ``significant`` say how the format marks them; "": not at all."""
        lines = []
        if any(row.significant for row in self.rows):
            lines.append(f"{significant}: {self.significance or 'significant'}.")
        if best and any(row.best for row in self.rows):
            lines.append(f"{best}: best value.")
        return lines


Draw = Callable[[Any], None]
"""Draws on an empty matplotlib Figure that has its size and style."""


@dataclass(frozen=True)
class Figure:
    """A figure: ``draw`` adds the axes to it, ``data`` is the same content as a table to download."""

    key: str
    title: str
    caption: str
    facts: Facts
    draw: Draw
    data: Table | None = None
    charts: tuple[Mapping[str, Any], ...] = ()
    """The content for pages that draw it themselves: see ``chart``."""
    width: float = 7.0
    """Inches; 7.0 is the text width of two columns, 3.4 of one."""
    height: float = 4.0
    beside: bool = False
    """Whether its charts are panels, shown side by side if there is room."""

    @property
    def charts_id(self) -> str:
        return f"charts-{self.key}"


@dataclass(frozen=True)
class Analysis:
    """The results of an analysis: sentences to quote, tables, figures, and more content for JSON."""

    facts: Facts
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = ()
    sentences: tuple[str, ...] = ()
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def downloads(self) -> tuple[Table, ...]:
        """Return the tables, and the data of figures that is in no table."""
        keys = {table.key for table in self.tables}
        shown = (figure.data for figure in self.figures if figure.data is not None)
        return (*self.tables, *(table for table in shown if table.key not in keys))


def best_marked(rows: Sequence[Row], key: str, *, higher: bool = True) -> tuple[Row, ...]:
    """Return the rows with the best value of a column marked, including those that show the same digits.

    Faint rows and gaps are ignored.
    """
    exact = [as_number(row.values.get(key)) for row in rows]
    numbers = [number if number is None else round(number, DIGITS) for number in exact]
    counted = [
        number for number, row in zip(numbers, rows, strict=True) if number is not None and not row.faint
    ]
    if not counted:
        return tuple(rows)
    best = max(counted) if higher else min(counted)
    return tuple(
        Row(row.values, row.best | {key}, row.significant, row.faint)
        if number == best and not row.faint
        else row
        for number, row in zip(numbers, rows, strict=True)
    )


def as_number(value: Value) -> float | None:
    """Return a cell's number, or the value of its interval; None for text, NaN and a missing value."""
    number = value.value if isinstance(value, Interval) else value
    return None if number is None or isinstance(number, str) or number != number else float(number)
