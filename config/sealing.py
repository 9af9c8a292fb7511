"""Secrets that have to be read again, such as the key of a signature: kept encrypted under the installation's key.

What only has to be recognised is kept as a hash instead (accounts.secret_text). Fernet: AES-128 in CBC mode with
an HMAC, under a key derived from ``SECRET_KEY`` (and, to read, ``SECRET_KEY_FALLBACKS``), so a copy of the database
alone gives no secret away.
"""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from config.errors import Refusal


class SealBroken(Refusal):
    """What was sealed cannot be read: it was sealed under another key, or changed."""


def seal(text: str, *, purpose: str) -> str:
    """The text, encrypted. What is sealed for one purpose does not open for another."""
    return _fernet(purpose).encrypt(text.encode()).decode("ascii")


def unseal(sealed: str, *, purpose: str) -> str:
    """The text that was sealed for this purpose; raises SealBroken."""
    try:
        return _fernet(purpose).decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise SealBroken(
            "A secret in the database was sealed under another SECRET_KEY.",
            "Start with the SECRET_KEY of before, or make the secret anew.",
        ) from None


def _fernet(purpose: str) -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(_derived(key, purpose)) for key in keys])


def _derived(key: str, purpose: str) -> bytes:
    derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=f"preferee:{purpose}".encode())
    return base64.urlsafe_b64encode(derive.derive(key.encode()))
