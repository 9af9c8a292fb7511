"""Random identifiers in the protocol's shapes: EntityId ``^[A-Z0-9]+$``, CustomerId ``^A[A-Z0-9]+$``."""

import secrets
import string

_LETTERS = string.ascii_uppercase + string.digits


def _random(length: int) -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(length))


def entity_id() -> str:
    """Return a random id for anything but a worker or a key, such as a HIT: 30 characters, 150 bits."""
    return "3" + _random(29)


def worker_id() -> str:
    """Return a random id for a worker: 14 characters that begin with A."""
    return "A" + _random(13)


def access_key() -> str:
    """Return the public half of a requester's key: 20 characters."""
    return "PREF" + _random(16)


def secret_key() -> str:
    """Return the secret half of a requester's key: 240 random bits."""
    return secrets.token_urlsafe(30)


def payout_reference() -> str:
    """Return a random name for a payout on a bank statement: 12 characters that begin with PAY."""
    return "PAY" + _random(9)
