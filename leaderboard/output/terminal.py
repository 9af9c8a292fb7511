"""Print tables on a terminal."""

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from leaderboard.output.numbers import column_head, is_number, number_text
from leaderboard.output.table import Analysis, Row, Table

WIDEST = 1000


def print_analysis(console: Console, analysis: Analysis) -> None:
    """Print all tables, then the sentences to quote, then the facts."""
    for table in analysis.tables:
        print_table(console, table)
    for sentence in analysis.sentences:
        console.print(sentence, markup=False, style="bold")
    console.print(f"{analysis.facts.sentence}.", markup=False)


def print_table(console: Console, table: Table) -> None:
    """Print a table below its title, followed by its caption, legend and notes."""
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    heads = ["", *(column.group for column in table.columns)]
    for column, before in zip(table.columns, heads, strict=False):
        # A group's name is above its first column.
        label = f"{column.group if column.group != before else ''}\n{column_head(column)}"
        label = label if any(heads) else column_head(column)
        right = is_number(column.kind)
        grid.add_column(Text(label), justify="right" if right else "left", no_wrap=right)
    for row in table.rows:
        cells = (_terminal_cell(table, row, column.key) for column in table.columns)
        grid.add_row(*cells, style="dim" if row.faint else None)
    # On a narrow terminal, lines wrap, so that numbers are never cut.
    wide = console.options.update(width=WIDEST)
    console.width = max(console.width, console.measure(grid, options=wide).maximum)
    console.print(Text(table.title, style="bold"))
    console.print(grid)
    # Rich leaves out all styles in files and on terminals that do not support them.
    best = "Underlined" if console.color_system else ""
    for line in (table.caption, *table.legend(best=best, significant="*"), *table.notes):
        console.print(line, markup=False)
    console.print()


def _terminal_cell(table: Table, row: Row, key: str) -> Text:
    text = number_text(row.values.get(key), table.column(key).kind)
    style = "underline" if key in row.best else ""
    if key in row.significant:
        return Text(f"{text}*", style=f"bold {style}".strip())
    return Text(text, style=style)
