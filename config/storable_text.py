"""Cleans text from outside before it is stored in the database."""


def storable_text(text: str, most: int | None = None) -> str:
    """Remove NULs, which PostgreSQL refuses, and surrounding spaces. Return at most ``most`` characters."""
    return text.replace("\0", "").strip()[:most]
