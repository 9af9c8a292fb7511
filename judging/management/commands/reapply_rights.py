"""`manage.py reapply_rights`: forget and take out again what a restored backup brought back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from config.console import Command as BaseCommand
from judging.services.reapplying import reapply_rights


class Command(BaseCommand):
    help = (
        "After a restore: forget the workers, and take out the judgments, that were forgotten or taken back since "
        "the backup was made. Reads rights.jsonl beside the stored files (PREFEREE_RIGHTS_DIR). Safe to repeat."
    )
    example = "manage.py reapply_rights"

    def act(self, **options: Any) -> dict[str, Any]:
        return asdict(reapply_rights())
