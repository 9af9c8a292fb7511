from argparse import ArgumentParser
from typing import Any

from marketplace import clock
from marketplace.console import Command as Base
from marketplace.services.account import accounts
from marketplace.services.operator import erasure


class Command(Base):
    help = (
        "Erase a worker's name, password, e-mail, country, letters and messages, and close the account permanently. "
        "Tasks and payments stay in the books under the worker id. Refused while a task is open or in review, or "
        "while money is owed."
    )
    example = "python -m marketplace forget_worker ada"

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="name or worker id")
        parser.add_argument(
            "--waive",
            action="store_true",
            help="the worker gives up pay that is in review or not yet in a payout",
        )

    def act(self, **options: Any) -> dict[str, Any]:
        worker = accounts.worker_by_name(options["name"])
        done = erasure.erase_worker(worker, clock.now(), waive=options["waive"])
        return {"worker_id": worker.worker_id, **done}
