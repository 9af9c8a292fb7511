"""The web processes: gunicorn and, in embedded mode, a single process that also runs jobs in threads."""

import gc
import os
import signal
import socket
import threading
import time
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver
from gunicorn.app.base import BaseApplication
from gunicorn.util import is_ipv6, parse_address

from config.errors import Refusal
from config.monitoring import metrics
from config.monitoring.logs import ServerLogger

#: Number of new objects, minus freed ones, after which Python scans the youngest objects. Python's default is 700.
NEW_OBJECTS = 50_000
#: Seconds to wait for our port, as gunicorn does.
PORT_SECONDS = 5.0


class EmbeddedServer(BaseApplication):
    """gunicorn with many threads per process, configured in code."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self.options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        application = get_wsgi_application()
        # Import every view now. Otherwise the first visitors would all wait for it.
        get_resolver().url_patterns  # noqa: B018
        collect_garbage_less_often()
        return application


def collect_garbage_less_often() -> None:
    """Collect garbage less often, and exempt all objects created so far, such as modules, models and views.

    By default, Python scans the youngest objects many times in one request. About a quarter of a million objects live
    as long as the process. A page that reads ten thousand rows makes Python scan all of them several times, which
    took longer than the rest of the page.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 10, 10)


def stop_with_parent() -> None:
    """Stop this process when its parent process ends, so that a killed command leaves no process behind."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def leave_interrupts_to_parent(_worker: Any) -> None:
    """Let Ctrl-C stop only gunicorn's main process, which then stops this process.

    A terminal interrupts both. The main process's signal could then interrupt this process's handler, which would
    wait forever for a lock that it holds itself (gunicorn 27.0.1, ``gthread.handle_quit``).
    """
    signal.signal(signal.SIGINT, lambda *_: None)


def require_free_port() -> None:
    """Raise Refusal if another server still listens at our host and port after ``PORT_SECONDS``.

    The processes of a killed server take a second to end.
    """
    deadline = time.monotonic() + PORT_SECONDS
    while refused := _port_error():
        if time.monotonic() > deadline:
            raise Refusal(
                f"Cannot serve at {settings.HOST}:{settings.PORT}: {refused.strerror}.",
                "If Preferee already runs there, stop it. Otherwise, set PREFEREE_PORT to a free port.",
            ) from refused
        time.sleep(0.2)


def _port_error() -> OSError | None:
    """Return why no server can listen at our host and port, or None."""
    host, port = parse_address(f"{settings.HOST}:{settings.PORT}")
    with socket.socket(socket.AF_INET6 if is_ipv6(host) else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as refused:
            return refused
    return None


def run_web_server(*, threads: int, with_workers: bool, processes: int = 1) -> None:
    """Serve pages until SIGTERM or SIGINT. ``with_workers`` also runs jobs, which requires a single process."""
    assert processes == 1 or not with_workers
    workers: list[Any] = []
    metrics.share_counts()
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # whitenoise warns if it is missing

    def begin(worker: Any) -> None:
        leave_interrupts_to_parent(worker)
        if not with_workers:
            return
        # Threads do not survive gunicorn's fork, so start them in the process that serves.
        from django.db import connections

        from config.process.embedded import EmbeddedWorkers

        connections.close_all()
        workers.append(EmbeddedWorkers())
        workers[0].start()

    def end(_arbiter: Any, _worker: Any) -> None:
        for worker in workers:
            worker.stop()

    options: dict[str, Any] = {
        "bind": f"{settings.HOST}:{settings.PORT}",
        "workers": processes,
        "worker_class": "gthread",
        "threads": threads,
        "keepalive": 15,
        "graceful_timeout": 10,
        "loglevel": settings.LOG_LEVEL.lower(),
        "logger_class": ServerLogger,
        "control_socket_disable": True,
        "post_worker_init": begin,
        "worker_exit": end,
    }
    EmbeddedServer(options).run()
