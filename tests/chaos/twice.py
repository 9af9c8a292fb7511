"""The product's Celery app, with every message of it delivered twice."""

from __future__ import annotations

from typing import Any

from celery.signals import after_task_publish

from config.celery import app

AGAIN = "said_again"


@after_task_publish.connect
def say_again(sender: str, headers: dict[str, Any], body: tuple[Any, ...], **_: object) -> None:
    """Publish the same message once more, unless it is the second one."""
    if not headers.get(AGAIN):
        arguments, keywords, _more = body
        app.send_task(sender, arguments, keywords, headers={AGAIN: True})
