"""The threads that apply deadlines, send messages and clean up while the server runs.

There are several, so that an unresponsive mail server never delays a deadline.
"""

import logging
import threading
from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.db import close_old_connections, connections

from marketplace import clock
from marketplace.services import expiry, outbox
from marketplace.services.operator import cleanup as tidying

logger = logging.getLogger(__name__)
_TIDY_SECONDS = 3600


def start_scheduler() -> threading.Event:
    """Start the threads; set the returned event to stop them."""
    stop = threading.Event()
    for name, step, seconds in (
        ("scheduler", expiry.apply_due, settings.TICK_SECONDS),
        ("outbox", outbox.send_due_messages, settings.TICK_SECONDS),
        ("tidying", tidying.tidy, _TIDY_SECONDS),
    ):
        work = threading.Thread(
            target=_repeat_step, args=(stop, step, seconds), name=f"marketplace-{name}", daemon=True
        )
        work.start()
    return stop


def _repeat_step(stop: threading.Event, step: Callable[[datetime], int], seconds: float) -> None:
    while not stop.wait(seconds):
        try:
            close_old_connections()
            step(clock.now())
        except Exception:  # the next tick retries; calls and pages also apply deadlines
            logger.exception("A step of the scheduler failed.")
    connections.close_all()
