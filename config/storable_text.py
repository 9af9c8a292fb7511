"""Text from outside, made fit for the database."""


def storable_text(text: str, most: int | None = None) -> str:
    """Return the text, at most ``most`` characters, without surrounding spaces and NULs, which PostgreSQL refuses."""
    return text.replace("\0", "").strip()[:most]
