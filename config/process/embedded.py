"""The embedded worker and scheduler: Celery inside the only web process, with an in-memory broker."""

import threading

from celery.beat import EmbeddedService
from celery.worker import WorkController
from django.conf import settings
from django.db import connection

from config.background import services
from config.celery import app


class EmbeddedWorkers:
    """A Celery worker and its scheduler (beat) in threads of this process.

    A heartbeat in the database tells other processes that a worker is running.
    """

    def __init__(self, *, concurrency: int = 2) -> None:
        self.over = threading.Event()
        self.worker = WorkController(
            app=app, pool_cls="threads", concurrency=concurrency, without_mingle=True, without_gossip=True
        )
        self.beat = EmbeddedService(
            app, thread=True, schedule_filename=settings.CELERY_BEAT_SCHEDULE_FILENAME
        )
        self.threads = [
            threading.Thread(target=self.worker.start, name="worker", daemon=True),
            threading.Thread(target=self._pulse, name="pulse", daemon=True),
        ]

    def start(self) -> None:
        """Start the worker, the scheduler and the heartbeat."""
        settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
        for thread in self.threads:
            thread.start()
        self.beat.start()  # type: ignore[union-attr]

    def stop(self) -> None:
        """Finish the jobs that are running, then stop the worker, the scheduler and the heartbeat."""
        self.over.set()
        self.beat.stop()
        self.worker.stop(in_sighandler=False)
        services.leave_work()

    def _pulse(self) -> None:
        while not self.over.is_set():
            services.pulse()
            connection.close()
            self.over.wait(services.PULSE_SECONDS)
