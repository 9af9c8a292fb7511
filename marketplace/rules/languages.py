"""Names of languages, and whether a worker reads all the languages that a task needs."""

import re
from collections.abc import Iterable

from django.conf.locale import LANG_INFO

_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def is_tag(word: str) -> bool:
    """Return whether this is a language tag such as ``en`` or ``pt-BR``."""
    return bool(_TAG.fullmatch(word)) and len(word) <= 20


def name_of(tag: str) -> str:
    """Return the English name of a language, such as ``German``; the tag itself if the name is unknown."""
    known = [LANG_INFO.get(code, {}).get("name") for code in (tag.lower(), _primary(tag))]
    return str(next(filter(None, known), "Chinese" if _primary(tag) == "zh" else tag))


def readable(needed: Iterable[str], read: Iterable[str]) -> bool:
    """Return whether a worker who reads ``read`` can do a task that needs ``needed``; regions do not matter.

    A worker who chose no language gets all tasks, and a task without languages is for everyone.
    """
    own = {_primary(tag) for tag in read}
    return not own or {_primary(tag) for tag in needed} <= own


def _primary(tag: str) -> str:
    return tag.lower().partition("-")[0]
