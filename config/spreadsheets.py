"""Text in files that people open with a spreadsheet."""

#: Characters that begin a formula in some spreadsheet, full-width signs included.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def as_text(cell: str) -> str:
    """Return the cell, with an apostrophe in front if a spreadsheet would read it as a formula."""
    return f"'{cell}" if cell.startswith(FORMULA) else cell
