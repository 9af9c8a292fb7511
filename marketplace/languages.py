"""Pure: languages by their tags: what they are called, and whether somebody reads all that a task needs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.conf.locale import LANG_INFO

_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def is_tag(word: str) -> bool:
    """Whether this is a language tag such as ``en`` or ``pt-BR``."""
    return bool(_TAG.fullmatch(word)) and len(word) <= 20


def name_of(tag: str) -> str:
    """The English name of a language: ``German``; the tag itself where the name is not known."""
    known = [LANG_INFO.get(code, {}).get("name") for code in (tag.lower(), _primary(tag))]
    return str(next(filter(None, known), "Chinese" if _primary(tag) == "zh" else tag))


def readable(needed: Iterable[str], read: Iterable[str]) -> bool:
    """Whether somebody who reads these languages can do a task that needs those; regions do not matter.

    Somebody who chose no language gets all tasks, as everybody gets a task that names none.
    """
    own = {_primary(tag) for tag in read}
    return not own or {_primary(tag) for tag in needed} <= own


def _primary(tag: str) -> str:
    return tag.lower().partition("-")[0]
