"""Tables for Markdown (with pipes), with significant values in bold and the best in italics."""

import re
from collections.abc import Iterable

from leaderboard.output.numbers import column_head, is_number, number_text
from leaderboard.output.table import Row, Table

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def markdown_table(table: Table) -> str:
    """Return the table as Markdown: its title and cells, followed by its caption, legend, notes and facts."""
    groups = [column.group for column in table.columns]
    heads = [
        f"{group}: {column_head(column)}" if group else column_head(column)
        for group, column in zip(groups, table.columns, strict=True)
    ]
    lines = [
        f"**{markdown_escaped(table.title)}**",
        "",
        _piped(markdown_escaped(one) for one in heads),
        _piped("---:" if is_number(column.kind) else "---" for column in table.columns),
        *(_piped(_markdown_cell(table, row, column.key) for column in table.columns) for row in table.rows),
    ]
    legend = table.legend(best="Italic", significant="Bold")
    under = [table.caption, *legend, *table.notes, f"{table.facts.sentence}."]
    return "\n".join([*lines, "", markdown_escaped(" ".join(filter(None, under)))]) + "\n"


def markdown_escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text.replace("\n", " ").replace("\r", " "))


def _piped(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _markdown_cell(table: Table, row: Row, key: str) -> str:
    text = markdown_escaped(number_text(row.values.get(key), table.column(key).kind))
    if key in row.best:
        text = f"*{text}*"
    return f"**{text}**" if key in row.significant else text
