"""Numbers with their nouns in English, for commands (pages use ``pluralize``)."""


def many(number: int, one: str, more: str = "") -> str:
    """Return a number with its noun: ``1 account``, ``1,200 accounts``. ``more`` is an irregular plural."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"
