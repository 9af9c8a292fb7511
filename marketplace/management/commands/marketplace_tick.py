from typing import Any

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.plurals import many
from marketplace.services import expiry, outbox
from marketplace.services.operator import cleanup as tidying
from marketplace.sweep import Sweep


class Command(Base):
    help = (
        "Free abandoned places, approve submissions not reviewed in time, expire overdue HITs, send messages, and "
        "delete old data. For servers started without `serve`."
    )
    example = "python -m marketplace marketplace_tick"

    def act(self, **options: Any) -> dict[str, Any]:
        sweep = Sweep("Tick")
        done = {"deadlines": 0, "messages": 0}
        with sweep.step("applying deadlines"):
            done["deadlines"] = expiry.apply_due(clock.now())
        with sweep.step("sending messages"):
            done["messages"] = outbox.send_due_messages(clock.now())
        with sweep.step("tidying"):
            tidying.tidy(clock.now())
        sweep.end()
        return done

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(
            f"{many(result['deadlines'], 'deadline')} applied. {many(result['messages'], 'message')} sent."
        )
