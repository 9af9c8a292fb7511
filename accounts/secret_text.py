"""Creates and hashes long random secrets, which are stored only as hashes. No I/O.

The hash is plain SHA-256. Nobody can guess a secret of 256 random bits, so it needs no slow hash.
"""

import hashlib
import secrets
from dataclasses import dataclass, field

#: Prefix of API tokens, so that people and code scanners recognize them.
PREFIX = "pfr"


@dataclass(frozen=True)
class Secret:
    """A new secret: ``text`` is shown once, ``digest`` is stored."""

    text: str = field(repr=False)
    digest: str


def digest_of(text: str) -> str:
    """Return the hash of a secret as it is stored: SHA-256 in 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def new_secret() -> Secret:
    """Return a new secret of 256 random bits for a URL."""
    text = secrets.token_urlsafe(32)
    return Secret(text, digest_of(text))


def new_token(mark: str) -> Secret:
    """Return a new API token: ``pfr_``, its mark (which tells a person's tokens apart), ``_`` and 256 random bits."""
    text = f"{PREFIX}_{mark}_{secrets.token_urlsafe(32)}"
    return Secret(text, digest_of(text))


def new_mark() -> str:
    """Return a new mark for an API token: eight random hexadecimal digits."""
    return secrets.token_hex(4)
