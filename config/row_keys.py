"""Reads keys of database rows from text that comes from outside."""


def row_key(text: str) -> int:
    """Return the text as a row's key, or 0, which no row has, if it is not a number or too large for the database."""
    return int(text) if text.isdecimal() and len(text) < 19 else 0
