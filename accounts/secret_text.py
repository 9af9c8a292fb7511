"""Long random secrets of which only a hash is kept. Pure.

The hash is plain SHA-256: a secret of 256 random bits cannot be guessed, so it needs no slow hash.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field

#: What an API token begins with, so that people and scanners of code find it.
PREFIX = "pfr"


@dataclass(frozen=True)
class Secret:
    """A secret that was just made: ``text`` is shown once, ``digest`` is kept."""

    text: str = field(repr=False)
    digest: str


def digest_of(text: str) -> str:
    """The hash that is kept of a secret, 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def new_secret() -> Secret:
    """A secret for an address, of 256 random bits."""
    text = secrets.token_urlsafe(32)
    return Secret(text, digest_of(text))


def new_token(mark: str) -> Secret:
    """An API token: ``pfr_`` + its mark, by which people tell theirs apart, + ``_`` + 256 random bits."""
    text = f"{PREFIX}_{mark}_{secrets.token_urlsafe(32)}"
    return Secret(text, digest_of(text))


def new_mark() -> str:
    """Eight letters and digits that say nothing."""
    return secrets.token_hex(4)
