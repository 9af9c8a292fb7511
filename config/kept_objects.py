"""Cached objects. The key includes the software version, so no other version ever reads them.

Counters do not need this: plain numbers read the same in every version.
"""

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


def object_key(kind: str, *inputs: Any) -> str:
    """Return an object's cache key, derived from its inputs (JSON-ready) and this software's version."""
    named = json.dumps([sources_key(*ROOMS), *inputs])
    return f"{kind}:{hashlib.sha256(named.encode()).hexdigest()}"


def kept(key: str) -> Any:
    """Return the object, or None if it is missing or cannot be read; the caller then rebuilds it."""
    try:
        packed = cache.get(key)
        return None if packed is None else pickle.loads(packed)  # noqa: S301 -- our own cache
    except Exception:
        logger.warning("The cache entry %s cannot be read and will be rebuilt.", key, exc_info=True)
        return None


def keep_object(key: str, made: Any, seconds: float) -> None:
    """Store the object for ``seconds``. Without the cache the product is slower, but works."""
    try:
        cache.set(key, pickle.dumps(made), seconds)
    except RedisError:
        logger.warning("The cache is not accepting entries: %s was not stored.", key, exc_info=True)


def is_kept(key: str) -> bool:
    """Return whether an object, or a stored None, is cached."""
    try:
        return bool(cache.has_key(key))
    except RedisError:
        logger.warning("The cache did not answer for %s.", key, exc_info=True)
        return False


def forget_object(key: str) -> None:
    """Delete the object, so that it is rebuilt at the next read."""
    cache.delete(key)
