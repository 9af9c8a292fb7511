"""Stores objects in the cache. Their keys include the software version, so no other version ever reads them.

Counters do not need such keys, because plain numbers are read the same way in every version.
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
    """Return the cache key of an object, derived from its kind, its inputs (JSON values) and the software version."""
    named = json.dumps([sources_key(*ROOMS), *inputs])
    return f"{kind}:{hashlib.sha256(named.encode()).hexdigest()}"


def kept(key: str) -> Any:
    """Return the cached object, or None if it is missing or cannot be read; the caller then rebuilds it."""
    try:
        packed = cache.get(key)
        return None if packed is None else pickle.loads(packed)  # noqa: S301 -- our own cache
    except Exception:
        logger.warning("The cache entry %s cannot be read and will be rebuilt.", key, exc_info=True)
        return None


def keep_object(key: str, made: Any, seconds: float) -> None:
    """Cache the object for ``seconds``. If Redis does not answer, only log a warning."""
    try:
        cache.set(key, pickle.dumps(made), seconds)
    except RedisError:
        logger.warning("The cache is not accepting entries: %s was not stored.", key, exc_info=True)


def is_kept(key: str) -> bool:
    """Return whether the cache has an entry for the key, even if the entry is None."""
    try:
        return bool(cache.has_key(key))
    except RedisError:
        logger.warning("The cache did not answer for %s.", key, exc_info=True)
        return False


def forget_object(key: str) -> None:
    """Delete the object from the cache, so that the next reader rebuilds it.

    If Redis does not answer, only log a warning.
    """
    try:
        cache.delete(key)
    except RedisError:
        logger.warning("The cache did not delete %s.", key, exc_info=True)
