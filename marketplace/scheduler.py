"""The thread that applies deadlines while the server runs."""

from __future__ import annotations

import logging
import threading

from django.conf import settings
from django.db import close_old_connections, connections

from marketplace import clock
from marketplace.services import deadlines

logger = logging.getLogger(__name__)


def start() -> threading.Event:
    """Start the thread; set the returned event to stop it."""
    stop = threading.Event()
    threading.Thread(target=_run, args=(stop,), name="marketplace-scheduler", daemon=True).start()
    return stop


def _run(stop: threading.Event) -> None:
    while not stop.wait(settings.TICK_SECONDS):
        try:
            close_old_connections()
            deadlines.apply_due(clock.now())
        except Exception:  # the next tick tries again; calls and pages apply deadlines themselves
            logger.exception("Deadlines could not be applied.")
    connections.close_all()
