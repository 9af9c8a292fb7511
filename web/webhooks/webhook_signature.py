"""Signatures of webhook messages: the Standard Webhooks specification, symmetric keys (v1). No I/O.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence

#: Prefix of secrets, so that people and code scanners can recognize them.
PREFIX = "whsec_"
KEY_BYTES = 32


def new_webhook_secret() -> str:
    """Return a new secret: ``whsec_`` and 256 random bits in base64."""
    return PREFIX + base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode("ascii")


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return ``v1,`` and the base64 of HMAC-SHA256 over ``id.timestamp.body``; ``timestamp``: seconds since 1970."""
    key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode("ascii")


def headers(keys: Sequence[str], message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the three headers of a message, signed with every one of ``keys``: two secrets during a rotation."""
    signatures = [signature(key, message_id, timestamp, body) for key in keys]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
    }
