"""Health checks, which report whether this process is alive and whether it can do its work."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from django.core.files.storage import storages
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from kombu.exceptions import KombuError, OperationalError
from redis.exceptions import RedisError

from config.errors import NotNow, Refusal
from config.process.launcher import database_is_current, installation

#: Number of seconds within which a service must answer to count as ready.
SECONDS = 3


class NotReady(Exception):
    """A part of the system does not work. The message names it without revealing addresses or passwords."""


@never_cache
def healthz(_request: HttpRequest) -> JsonResponse:
    """Confirm that the process answers, and name its installation."""
    return JsonResponse({"status": "ok", "installation": installation()})


@never_cache
def readyz(_request: HttpRequest) -> JsonResponse:
    """Check every part that this process needs. Return each part's state, with status 503 if one is not ready."""
    parts: dict[str, str] = {}
    failed = ""
    for name, check in CHECKS.items():
        try:
            parts[name] = check()
        except NotReady as problem:
            parts[name] = str(problem)
            failed = failed or str(problem)
    return JsonResponse({"status": failed or "ready", "parts": parts}, status=503 if failed else 200)


def _database() -> str:
    """Check that the database answers and is up to date."""
    try:
        current = database_is_current()
    except DatabaseError:
        raise NotReady("the database does not answer") from None
    finally:
        connection.close_if_unusable_or_obsolete()
    if not current:
        raise NotReady("the database is not up to date: run manage.py migrate")
    return "ok"


def _redis() -> str:
    """Check that Redis answers, if it is configured."""
    if not settings.REDIS_URL:
        return "not used"
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=SECONDS, socket_connect_timeout=SECONDS
        ) as client:
            client.ping()
    except (RedisError, OSError):
        raise NotReady("Redis does not answer (REDIS_URL)") from None
    return "ok"


def _broker() -> str:
    """Check that the broker accepts connections, if it is a separate server."""
    from config.celery import app

    if settings.CELERY_BROKER_URL.startswith("memory:"):
        return "in this process"
    try:
        with app.connection_for_write(connect_timeout=SECONDS) as line:
            line.ensure_connection(max_retries=1, interval_start=0, timeout=SECONDS)
    except (KombuError, OperationalError, RedisError, OSError):
        raise NotReady("the broker does not answer (CELERY_BROKER_URL)") from None
    return "ok"


def _storage() -> str:
    """Check that run files can be written. Write none, because anyone can call this as often as they like."""
    storage: Any = storages["runs"]
    if prove := getattr(storage, "prove", None):  # a bucket
        try:
            prove(seconds=SECONDS)
        except NotNow:
            raise NotReady("the S3 server does not answer (PREFEREE_S3_ENDPOINT)") from None
        except Refusal as refusal:
            raise NotReady(f"files cannot be stored on S3: {refusal.next_step}") from None
        return "ok"
    folder = Path(storage.path(""))
    try:
        # Before the first run, check the folder in which it will be created.
        there = next(one for one in (folder, *folder.parents) if one.exists())
        full = os.statvfs(there).f_bavail == 0
    except OSError:
        raise NotReady("the folder for files does not answer (PREFEREE_DATA_DIR)") from None
    if full:
        raise NotReady("the disk for files is full (PREFEREE_DATA_DIR)")
    if not there.is_dir() or not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        raise NotReady("files cannot be stored (PREFEREE_DATA_DIR)")
    return "ok"


CHECKS: dict[str, Callable[[], str]] = {
    "database": _database,
    "redis": _redis,
    "broker": _broker,
    "storage": _storage,
}
