"""Text from outside, made fit for the database."""


def storable_text(text: str, most: int | None = None) -> str:
    """Return at most ``most`` characters of the text, without surrounding spaces, and without NULs for PostgreSQL."""
    return text.replace("\0", "").strip()[:most]
