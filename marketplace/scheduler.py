"""The threads that apply deadlines and send messages while the server runs.

They are two, so that a mail server that does not answer never delays a deadline.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.db import close_old_connections, connections

from marketplace import clock
from marketplace.services import deadlines, outbox

logger = logging.getLogger(__name__)


def start() -> threading.Event:
    """Start the threads; set the returned event to stop them."""
    stop = threading.Event()
    for name, step in (("scheduler", deadlines.apply_due), ("outbox", outbox.send_due)):
        threading.Thread(target=_run, args=(stop, step), name=f"marketplace-{name}", daemon=True).start()
    return stop


def _run(stop: threading.Event, step: Callable[[datetime], int]) -> None:
    while not stop.wait(settings.TICK_SECONDS):
        try:
            close_old_connections()
            step(clock.now())
        except Exception:  # the next tick tries again; calls and pages apply deadlines themselves
            logger.exception("A step of the scheduler failed.")
    connections.close_all()
