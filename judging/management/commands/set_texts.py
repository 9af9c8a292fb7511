"""`manage.py set_texts`: what workers are told; a person accepts it."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from config.console import Command as BaseCommand
from config.console import UsageError
from judging.services.campaigns import campaign_named
from judging.services.texts import accept_texts, filled, set_texts


class Command(BaseCommand):
    help = "Replace the consent text or the instructions, show them as workers see them, and accept them."
    example = "manage.py set_texts first --consent consent.txt --accept"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign")
        parser.add_argument(
            "--consent", type=Path, metavar="FILE", help="{pairs}, {reward} and {minutes} are filled in"
        )
        parser.add_argument("--instructions", type=Path, metavar="FILE")
        parser.add_argument("--accept", action="store_true", help="you read both texts and stand for them")

    def act(
        self, *, campaign: str, consent: Path | None, instructions: Path | None, accept: bool, **options: Any
    ) -> dict[str, Any]:
        found = campaign_named(campaign)
        if consent or instructions:
            set_texts(found, consent=_read(consent), instructions=_read(instructions))
        if accept:
            accept_texts(found, who=getpass.getuser())
        return {
            "consent": filled(found, found.consent_text),
            "instructions": filled(found, found.instructions_text),
            "accepted": found.texts_accepted_at is not None,
        }

    def show(self, result: dict[str, Any]) -> None:
        for name in ("consent", "instructions"):
            self.out.print(f"{name.upper()}\n{result[name]}\n", markup=False)
        words = "Accepted." if result["accepted"] else "Not accepted yet: read them, then add --accept."
        self.out.print(words)


def _read(file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
