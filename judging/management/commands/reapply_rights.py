from dataclasses import asdict
from typing import Any

from config.commands.console import Command as BaseCommand
from judging.people.rights_replay import reapply_rights


class Command(BaseCommand):
    help = (
        "After a restore, repeat the deletions and withdrawals made after the backup. "
        "Reads rights.jsonl in PREFEREE_RIGHTS_DIR (default: the data folder). Safe to repeat."
    )
    example = "manage.py reapply_rights"

    def act(self, **options: Any) -> dict[str, Any]:
        return asdict(reapply_rights())
