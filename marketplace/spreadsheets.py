"""Text in files that people open with a spreadsheet."""

from __future__ import annotations

# What begins a formula in some spreadsheet, full-width signs included.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def as_text(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: an apostrophe goes before what would start one."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
