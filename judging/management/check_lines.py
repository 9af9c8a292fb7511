from collections.abc import Iterator

from config.plurals import many
from judging.launch.check_results import Checked
from judging.rules.strategies import Outcome, Outcomes


def in_lines(check: Checked) -> str:
    """Return a passed check as text with its next step, marked "!" if it needs attention.

    If the check tried strategies of workers who do not read, a table of their results follows.
    """
    line = f"  {'!' if check.attention else '✓'} {check}"
    line = f"{line}. {check.next_step}" if check.next_step else line
    return "\n".join([line, *(_strategy_lines(check.outcomes) if check.outcomes else ())])


def _strategy_lines(outcomes: Outcomes) -> Iterator[str]:
    """Yield the lines of a table that shows how often each strategy passes tasks."""
    heads = [f"passes {many(count, 'task')}" for count in outcomes.tasks]
    rows = [["strategy", "right on gold", *heads, "agrees with labels"], *map(_strategy_cells, outcomes.rows)]
    first, *widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *figures in rows:
        cells = (figure.rjust(width) for figure, width in zip(figures, widths, strict=True))
        yield "    " + "  ".join([name.ljust(first), *cells])


def _strategy_cells(row: Outcome) -> list[str]:
    agrees = "–" if row.agrees is None else f"{row.agrees:.1%}"
    return [row.name, f"{row.right:.1%}", *(f"{chance:.1%}" for chance in row.passes), agrees]
