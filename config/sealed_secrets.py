"""Secrets that must be read again, such as a signing key, encrypted under the installation's key.

Secrets that only need to be recognized are stored as hashes instead (accounts.secret_text). Encryption uses Fernet
(AES-128 in CBC mode with an HMAC), with a key derived from ``SECRET_KEY`` (for reading, also from
``SECRET_KEY_FALLBACKS``). So a copy of the database alone reveals no secret.
"""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from config.errors import Refusal


class SealBroken(Refusal):
    """A sealed secret cannot be read: it was sealed under another key, or altered."""


def seal(text: str, *, purpose: str) -> str:
    """Encrypt the text. A text sealed for one purpose cannot be unsealed for another."""
    return _fernet(purpose).encrypt(text.encode()).decode("ascii")


def unseal(sealed: str, *, purpose: str) -> str:
    """Decrypt a text that was sealed for this purpose; raises SealBroken."""
    try:
        return _fernet(purpose).decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise SealBroken(
            "A secret in the database cannot be read. It was sealed under another SECRET_KEY, or altered.",
            "Start with the previous SECRET_KEY, or create the secret again.",
        ) from None


def _fernet(purpose: str) -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(_derived(key, purpose)) for key in keys])


def _derived(key: str, purpose: str) -> bytes:
    derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=f"preferee:{purpose}".encode())
    return base64.urlsafe_b64encode(derive.derive(key.encode()))
