"""Escapes text in files that people open in a spreadsheet program."""

#: Characters that begin a formula in some spreadsheet programs, including full-width signs.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def as_text(cell: str) -> str:
    """Return the cell's text, with an apostrophe in front if a spreadsheet program would read it as a formula."""
    return f"'{cell}" if cell.startswith(FORMULA) else cell
