"""The server process: gunicorn with threads, and the scheduler beside them."""

import os
import signal
import threading
import time
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.db import connections
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]

from marketplace import scheduler
from marketplace.protocol import shapes

_PARENT_CHECK_SECONDS = 1.0


class Server(BaseApplication):
    """gunicorn, configured from the marketplace's settings alone."""

    def __init__(self, application: WSGIHandler) -> None:
        self.application = application
        super().__init__()

    def load_config(self) -> None:
        """Configure gunicorn. Each worker process has its own scheduler; several schedulers do no harm."""
        options: dict[str, Any] = {
            "bind": f"{settings.HOST}:{settings.PORT}",
            "workers": settings.PROCESSES,
            "worker_class": "gthread",
            "threads": settings.THREADS,
            "graceful_timeout": 5,
            "timeout": 120,
            "keepalive": 15,
            "loglevel": "warning",
            "control_socket_disable": True,
            "pre_fork": _before_fork,
            "post_worker_init": _worker_started,
            "worker_exit": _worker_ended,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> WSGIHandler:
        return self.application


def serve(application: WSGIHandler, *, until_parent_exits: bool = False) -> None:
    """Serve until SIGTERM or SIGINT; with ``until_parent_exits`` also until the parent process exits."""
    shapes.service()  # read once, before the fork
    if until_parent_exits:
        threading.Thread(target=_follow_parent, args=(os.getppid(),), daemon=True).start()
    Server(application).run()


def _before_fork(_arbiter: object, _worker: object) -> None:
    connections.close_all()


def _worker_started(worker: Any) -> None:
    worker.scheduler_stop = scheduler.start_scheduler()


def _worker_ended(_arbiter: object, worker: Any) -> None:
    stop = getattr(worker, "scheduler_stop", None)
    if stop is not None:
        stop.set()


def _follow_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
