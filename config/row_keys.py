"""Reads keys of database rows from text that comes from outside."""


def row_key(text: str) -> int:
    """Return the text as a row's key.

    Return 0, which is no row's key, if the text is not a number or is too large for the database.
    """
    return int(text) if text.isdecimal() and len(text) < 19 else 0
