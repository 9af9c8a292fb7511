"""Counts and logs every call to a crowd with its operation, result and duration, but without worker ids."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from config.monitoring.metrics import Count, Timing
from judging.errors import CrowdError, CrowdThrottled

logger = logging.getLogger("preferee.crowd")
CALLS = Count(
    "preferee_crowd_calls",
    "Calls to the crowd, by operation and result (ok, later, throttled, already, never, money, configuration).",
    ("operation", "result"),
)
SECONDS = Timing("preferee_crowd_call_seconds", "Duration of calls to the crowd.", ("operation",))


@contextmanager
def watched(operation: str) -> Iterator[None]:
    """Count and log the call that the block makes. Every error is passed on to the caller."""
    started = time.perf_counter()
    result = "unexpected"
    try:
        yield
        result = "ok"
    except CrowdError as error:
        result = "throttled" if isinstance(error, CrowdThrottled) else error.error_class
        raise
    finally:
        seconds = time.perf_counter() - started
        CALLS.add(operation, result)
        SECONDS.add(seconds, operation)
        logger.log(
            logging.INFO if result in ("ok", "already") else logging.WARNING,
            "%s: %s",
            operation,
            result,
            extra={
                "fields": {
                    "operation": operation,
                    "result": result,
                    "milliseconds": round(seconds * 1000, 1),
                }
            },
        )
