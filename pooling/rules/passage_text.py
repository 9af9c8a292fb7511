"""Decide whether two passages have the same text.

Two passages of a query form one class if a reader could not tell their texts apart on the page. Unicode canonical
composition (NFC) gives each accented letter a single spelling, and every stretch of white space counts as one space.
Invisible characters (zero-width space, word joiner, soft hyphen, byte order mark) are left out. Letter case,
punctuation and compatibility forms are unchanged: "US" is not "us", and 10² is not 102, as it would be under the
coarser NFKC.
"""

import hashlib
import re
import unicodedata

_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u2060\u00ad\ufeff"))
# Chinese, Japanese, Thai, Lao, Burmese and Khmer have no spaces between words, so each character counts as a word.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[^\W{_UNSPACED}]+|[{_UNSPACED}]")


def normalized(text: str) -> str:
    """Return the text as a reader sees it: in NFC, with single spaces and without invisible characters."""
    visible = unicodedata.normalize("NFC", text).translate(_INVISIBLE)
    return " ".join(visible.split())


def tokenize(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation."""
    return _WORD.findall(text.lower())


def class_key(text: str | None) -> str:
    """Return the key that passages with the same text share: SHA-256 (hex) of the normalized text.

    Returns ``""`` for a passage without text, which is a class of its own.
    """
    seen = normalized(text or "")
    return hashlib.sha256(seen.encode()).hexdigest() if seen else ""


def canonical_key(pid: str) -> str:
    """Return the key that near-duplicates share, made from the pid of their canonical passage."""
    return hashlib.sha256(f"near-duplicates of {pid}".encode()).hexdigest()


def is_canonical(pid: str, key: str) -> bool:
    """Return whether the passage with this pid and class key is the canonical passage of its near-duplicates."""
    return key == canonical_key(pid)
