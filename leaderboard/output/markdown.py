"""Tables for Markdown: pipes, significant values bold, the best in italics."""

from __future__ import annotations

import re
from collections.abc import Iterable

from leaderboard.output.numbers import head, is_number, shown
from leaderboard.output.table import Row, Table

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def markdown_table(table: Table) -> str:
    """Title, table, and under it the method, the notes and the facts."""
    groups = [column.group for column in table.columns]
    heads = [
        f"{group}: {head(column)}" if group else head(column)
        for group, column in zip(groups, table.columns, strict=True)
    ]
    lines = [
        f"**{escaped(table.title)}**",
        "",
        _piped(escaped(one) for one in heads),
        _piped("---:" if is_number(column.kind) else "---" for column in table.columns),
        *(_piped(_cell(table, row, column.key) for column in table.columns) for row in table.rows),
    ]
    legend = table.legend(best="Italic", significant="Bold")
    under = [table.caption, *legend, *table.notes, f"{table.facts.sentence}."]
    return "\n".join([*lines, "", escaped(" ".join(filter(None, under)))]) + "\n"


def escaped(text: str) -> str:
    """Text that Markdown leaves as it is."""
    return _SPECIAL.sub(r"\\\1", text.replace("\n", " ").replace("\r", " "))


def _piped(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(table: Table, row: Row, key: str) -> str:
    text = escaped(shown(row.values.get(key), table.column(key).kind))
    if key in row.best:
        text = f"*{text}*"
    return f"**{text}**" if key in row.significant else text
