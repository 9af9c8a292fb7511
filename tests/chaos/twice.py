"""The product's Celery app with every message delivered twice, and a count of second deliveries."""

import os
from pathlib import Path
from typing import Any

from celery.signals import after_task_publish, task_prerun

from config.celery import app

AGAIN = "said_again"
COUNT = "came-again"
PREFIX = "CHAOS_BROKER_PREFIX"

if prefix := os.environ.get(PREFIX):
    options = app.conf.broker_transport_options or {}
    app.conf.broker_transport_options = {**options, "global_keyprefix": prefix}


@after_task_publish.connect
def say_again(sender: str, headers: dict[str, Any], body: tuple[Any, ...], **_: object) -> None:
    """Publish the same message once more, unless it is already the repeat."""
    if not headers.get(AGAIN):
        arguments, keywords, _more = body
        app.send_task(sender, arguments, keywords, headers={AGAIN: True})


@task_prerun.connect
def note_what_came_again(task: Any, **_: object) -> None:
    """Write a byte for every repeated message that is processed, in any process."""
    if (task.request.headers or {}).get(AGAIN):
        with (Path(os.environ["PREFEREE_DATA_DIR"]) / COUNT).open("ab") as count:
            count.write(task.name.encode()[:1])
