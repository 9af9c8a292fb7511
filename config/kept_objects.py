"""Objects kept in the cache. Each is stored under the software that made it, so no other version ever reads it.

Counters need none of this: plain numbers read the same in every version.
"""

from __future__ import annotations

import hashlib
import json
import logging
import pickle
from typing import Any

from django.core.cache import cache
from redis.exceptions import RedisError

from config.software import sources_key

logger = logging.getLogger(__name__)
ROOMS = ("config", "accounts", "pooling", "judging", "tournament", "leaderboard", "web")


def key_of(kind: str, *inputs: Any) -> str:
    """Make the key of an object from all that it depends on (JSON-ready) and this software."""
    named = json.dumps([sources_key(*ROOMS), *inputs])
    return f"{kind}:{hashlib.sha256(named.encode()).hexdigest()}"


def read(key: str) -> Any:
    """Return the object, or None when there is none or it cannot be read: it is then made again."""
    try:
        packed = cache.get(key)
        return None if packed is None else pickle.loads(packed)  # noqa: S301 -- our own cache
    except Exception:
        logger.warning("The cache entry %s cannot be read and is made again.", key, exc_info=True)
        return None


def keep(key: str, made: Any, seconds: float) -> None:
    """Keep the object for so long; without its cache the product is slower, not broken."""
    try:
        cache.set(key, pickle.dumps(made), seconds)
    except RedisError:
        logger.warning("The cache takes nothing: %s is not kept.", key, exc_info=True)


def is_kept(key: str) -> bool:
    """Say whether an object, or a kept None, is there."""
    return bool(cache.has_key(key))


def forget(key: str) -> None:
    """Have the object made again when it is asked for next."""
    cache.delete(key)
