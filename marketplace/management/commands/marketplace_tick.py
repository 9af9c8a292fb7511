"""``python -m marketplace marketplace_tick``."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from marketplace import clock
from marketplace.services import deadlines, outbox, tidying


class Command(BaseCommand):
    """Apply every deadline that has passed, and send what waits."""

    help = (
        "Free abandoned places, approve unreviewed work, expire HITs whose time has come, and send "
        "messages. For servers started without `serve`. Example: python -m marketplace marketplace_tick"
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Apply them."""
        changed = deadlines.apply_due(clock.now())
        tidying.tidy(clock.now())
        sent = outbox.send_due(clock.now())
        self.stdout.write(f"{changed} deadlines applied. {sent} messages sent.")
