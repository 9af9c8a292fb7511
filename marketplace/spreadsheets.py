"""Protection against spreadsheets that read text in CSV files as formulas."""

# Characters that begin a formula in some spreadsheet programs, including full-width signs.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def as_text(cell: str) -> str:
    """Return the cell, with an apostrophe in front if a spreadsheet would read it as a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
