"""Pure: keys of database rows in texts from outside."""


def row_key(text: str) -> int:
    """Return the key in the text; 0, which no row has, if it is not one or more than the database can hold."""
    return int(text) if text.isdecimal() and len(text) < 19 else 0
