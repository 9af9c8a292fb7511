"""Tables, figures and analyses as immutable data, with the facts that must accompany every number.

Every table states the run set, the labels and their version, the measure, the number of queries, the seed and the
software.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Self

#: Decimals of a measure's value.
DIGITS = 4
#: Measures whose mean has a name of its own.
MEANS = re.compile(r"\b(AP|RR)\b")


def mean_measure(names: str) -> str:
    """Return the names of the measures' means over queries: ``MRR@10, nDCG@10``."""
    return MEANS.sub(r"M\1", names)


class Kind(Enum):
    """The kind of values in a column, which determines their decimals, alignment and unit."""

    TEXT = "text"
    MEASURE = "measure"
    """A measure's value, with four decimals."""
    P = "p"
    """A p-value, with three significant digits."""
    SHARE = "share"
    """A share from 0 to 1, shown as a percentage with one decimal. The percent sign is in the column's head."""
    COUNT = "count"
    """An integer, with thousands separated by commas."""
    MONEY = "money"
    """An amount of money, with two decimals."""
    INTERVAL = "interval"
    """An :class:`Interval`: ``0.4213 [0.401, 0.441]``."""
    SHARE_INTERVAL = "share interval"
    """An :class:`Interval` of shares, as percentages."""
    NUMBER = "number"
    """A number with two decimals, such as a mean rank or length."""
    CHANGE = "change"
    """A difference of measures, with four decimals and always a sign."""
    SHIFT = "shift"
    """A change of ranks: an integer with its sign, or = for no change."""


@dataclass(frozen=True)
class Interval:
    """A value with the bounds of its interval, which are NaN if there is no interval."""

    value: float
    low: float
    high: float

    @property
    def estimate(self) -> tuple[float, float, float]:
        return self.value, self.low, self.high


Value = str | int | float | Interval | None
Estimate = tuple[float | None, float | None, float | None]
"""A value and the bounds of its interval, which are None or NaN if there is no interval."""


def interval_or_value(estimate: Estimate) -> Interval | float | None:
    """Return an estimate as a cell of a table: an interval, or the value alone if it has no bounds."""
    value, low, high = estimate
    return value if value is None or low is None or high is None else Interval(value, low, high)


@dataclass(frozen=True)
class Column:
    """A column of a table. ``key`` is its name in CSV and JSON. Adjacent columns can share a head (``group``)."""

    key: str
    label: str
    kind: Kind = Kind.TEXT
    group: str = ""


@dataclass(frozen=True)
class Row:
    """A row of a table: column key → raw value, None if missing.

    ``best`` and ``significant`` have the keys of the columns whose cells get that mark.
    """

    values: Mapping[str, Value]
    best: frozenset[str] = frozenset()
    significant: frozenset[str] = frozenset()
    faint: bool = False
    """Whether the row is shown faintly, like that of the perfect run."""

    @classmethod
    def of(cls, **values: Value) -> Self:
        return cls(values)


def rows_of(
    items: Iterable[Any], columns: Sequence[Column], **cells: Callable[[Any], Value]
) -> tuple[Row, ...]:
    """Return a row for each item, with a cell for each column.

    ``cells`` maps a column's key to the function that computes its cell from the item. The default is the item's
    attribute of that name. A value with an ``estimate``, such as a share with its bounds, becomes an interval.
    """

    def cell(item: Any, key: str) -> Value:
        value: Any = cells[key](item) if key in cells else getattr(item, key)
        found: Value = interval_or_value(value.estimate) if hasattr(value, "estimate") else value
        return found

    return tuple(Row({column.key: cell(item, column.key) for column in columns}) for item in items)


@dataclass(frozen=True)
class Facts:
    """The facts that accompany the numbers of a table or figure.

    ``labels`` describes the qrels, with their version and lowest relevant grade.
    """

    collection: str
    runs: tuple[str, ...]
    labels: tuple[str, ...]
    measure: str
    queries: int
    """The number of queries; 0 if it is unknown because values were reported, not computed."""
    software: str
    seed: int | None = None
    simulated: bool = False
    further: tuple[tuple[str, str], ...] = ()
    """Further facts as (name, value), such as ("α", "0.05")."""

    @property
    def run_set(self) -> str:
        """The number of runs, and eight hexadecimal digits that identify the set of their tags; "" for no runs."""
        if not self.runs:
            return ""
        digest = hashlib.sha256("\n".join(sorted(self.runs)).encode()).hexdigest()[:8]
        return f"{len(self.runs)} run{'s' * (len(self.runs) != 1)} ({digest})"

    @property
    def mean_measure(self) -> str:
        """The name of the measure's mean over queries: ``MRR@10``, ``MAP``, ``nDCG@10``."""
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
    """A table. ``key`` is its name in files and JSON, and ``caption`` describes the method in a sentence or two."""

    key: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    facts: Facts
    notes: tuple[str, ...] = ()
    significance: str = ""
    """The meaning of the mark for significance, such as "p < 0.05, Bonferroni over 66 pairs"."""

    def column(self, key: str) -> Column:
        return next(column for column in self.columns if column.key == key)

    def groups(self) -> list[tuple[str, int]]:
        """Return (group, number of columns) for each group of adjacent columns, from left to right."""
        found: list[tuple[str, int]] = []
        for column in self.columns:
            if found and found[-1][0] == column.group:
                found[-1] = (column.group, found[-1][1] + 1)
            else:
                found.append((column.group, 1))
        return found

    def legend(self, *, best: str, significant: str) -> list[str]:
        """Return lines that explain the marks in this table.

        ``best`` and ``significant`` say in a word how the output format marks them; ``best`` is "" if it does not.
        """
        lines = []
        if any(row.significant for row in self.rows):
            lines.append(f"{significant}: {self.significance or 'significant'}.")
        if best and any(row.best for row in self.rows):
            lines.append(f"{best}: best value.")
        return lines


Draw = Callable[[Any], None]
"""A function that draws on an empty matplotlib Figure, whose size and style are set."""


@dataclass(frozen=True)
class Figure:
    """A figure. ``draw`` adds its axes to a canvas, and ``data`` is its content as a table to download."""

    key: str
    title: str
    caption: str
    facts: Facts
    draw: Draw
    data: Table | None = None
    charts: tuple[Mapping[str, Any], ...] = ()
    """The content for pages, which draw charts in the browser; see the module ``chart``."""
    width: float = 7.0
    """The width in inches. 7.0 is the text width of two columns, 3.4 of one."""
    height: float = 4.0
    beside: bool = False
    """Whether the charts are panels, which are shown side by side if there is space."""

    @property
    def charts_id(self) -> str:
        return f"charts-{self.key}"


@dataclass(frozen=True)
class Analysis:
    """The results of an analysis: tables, figures, sentences to quote, and further content for JSON."""

    facts: Facts
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = ()
    sentences: tuple[str, ...] = ()
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def downloads(self) -> tuple[Table, ...]:
        """The tables, and the data tables of figures unless they are already among the tables."""
        keys = {table.key for table in self.tables}
        shown = (figure.data for figure in self.figures if figure.data is not None)
        return (*self.tables, *(table for table in shown if table.key not in keys))


def best_marked(rows: Sequence[Row], key: str, *, higher: bool = True) -> tuple[Row, ...]:
    """Return the rows with the best value of a column marked, and also values that look equal after rounding.

    Faint rows and missing values are ignored.
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
    """Return a cell's number, or the value of its interval; None for text, NaN and missing values."""
    number = value.value if isinstance(value, Interval) else value
    return None if number is None or isinstance(number, str) or number != number else float(number)
