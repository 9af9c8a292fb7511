"""``python -m marketplace marketplace_tick``."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from marketplace import clock
from marketplace.services import deadlines


class Command(BaseCommand):
    """Apply every deadline that has passed."""

    help = (
        "Free abandoned places, approve unreviewed work and expire HITs whose time has come. For servers "
        "started without `serve`. Example: python -m marketplace marketplace_tick"
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Apply them."""
        changed = deadlines.apply_due(clock.now())
        self.stdout.write(f"{changed} deadlines applied.")
