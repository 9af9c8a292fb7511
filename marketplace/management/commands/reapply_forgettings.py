"""``python -m marketplace reapply_forgettings``."""

from __future__ import annotations

from typing import Any

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.services import forgetting


class Command(Base):
    """Forget again whom a restored backup brought back."""

    help = "After a restore: forget the workers who were forgotten since the backup was made. Safe to repeat."
    example = "python -m marketplace reapply_forgettings"

    def act(self, **options: Any) -> dict[str, Any]:
        """Do it."""
        return forgetting.forget_again(clock.now())

    def show(self, result: dict[str, Any]) -> None:
        """How many, and how many are left."""
        self.stdout.write(
            f"{result['forgotten']} forgotten again; {result['left']} left, who are owed something."
        )
