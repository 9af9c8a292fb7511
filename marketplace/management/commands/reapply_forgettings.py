from typing import Any

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.services.operator import erasure


class Command(Base):
    help = "After a restore, repeat the deletion of workers forgotten since the backup. Safe to repeat."
    example = "python -m marketplace reapply_forgettings"

    def act(self, **options: Any) -> dict[str, Any]:
        return erasure.forget_again(clock.now())

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(f"{result['forgotten']} forgotten again; {result['left']} not. The log says why.")
