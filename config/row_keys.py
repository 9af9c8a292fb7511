"""Keys of database rows in external text."""


def row_key(text: str) -> int:
    """Return the key in the text, or 0, which no row has, if it is not a key or too large for the database."""
    return int(text) if text.isdecimal() and len(text) < 19 else 0
