"""The signature in a frame's address, which proves who took which assignment of which HIT, and when.

A requester's page checks it with the secret key that signs the requester's calls
(docs/marketplace-protocol.md, "Signed addresses").
"""

import hashlib
import hmac
from collections.abc import Iterable
from datetime import datetime

_PURPOSE = b"preferee arrival 1"


def sign(
    secret_keys: Iterable[str], *, taken_at: datetime, assignment_id: str, hit_id: str, worker_id: str
) -> str:
    """Return the time in milliseconds since 1970 and one signature per key, separated by dots.

    Each valid key signs, because a requester's page may still use an older key.
    """
    taken = str(int(taken_at.timestamp() * 1000))
    said = "\n".join([taken, assignment_id, hit_id, worker_id]).encode()
    return ".".join([taken, *(_sign_with_key(key, said) for key in secret_keys)])


def _sign_with_key(secret_key: str, said: bytes) -> str:
    key = hmac.digest(secret_key.encode(), _PURPOSE, hashlib.sha256)
    return hmac.new(key, said, hashlib.sha256).hexdigest()
