from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from judging.people.rights import find_worker, forget_worker


class Command(BaseCommand):
    help = (
        "Erase a worker's ids at the crowd, assignment ids, comments, messages, and the texts of their reports and "
        "appeals. Their judgments stay, anonymously; "
        "to remove them too, run withdraw_worker first. A record of the erasure is kept. The crowd still knows the "
        "worker. An excluded worker who returns is no longer recognized, and so not refused."
    )
    example = "manage.py forget_worker A3EXAMPLE000001"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("worker", help="the worker's number, or their id at the crowd")
        parser.add_argument(
            "--why",
            default="",
            help="kept with the record permanently, so do not enter names, addresses or ids",
        )

    def act(self, *, worker: str, why: str, **options: Any) -> dict[str, Any]:
        found = find_worker(worker)
        return {"worker": found.pk, **forget_worker(found, who=self.who, why=why)}
