from pathlib import Path
from typing import Any

from config.commands.console import CommandParser, read_text_file
from judging.campaign.worker_texts import accept_texts, agreed_text, filled, set_texts
from judging.management.campaign_command import CampaignCommand
from judging.models import Campaign


class Command(CampaignCommand):
    help = "Replace the texts for workers, show them as workers see them, and accept them."
    example = "manage.py set_texts spring --consent consent.txt --accept"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--consent",
            type=Path,
            metavar="FILE",
            help="the consent text, in which {pairs}, {reward}, {minutes} and others are filled in",
        )
        parser.add_argument("--instructions", type=Path, metavar="FILE")
        parser.add_argument(
            "--example", type=Path, metavar="FILE", help="a worked example; an empty file removes it"
        )
        parser.add_argument("--content-warning", metavar="WORDS", help='a warning for workers; "" removes it')
        parser.add_argument(
            "--ethics-approval", metavar="WORDS", help='approving board and number; "" removes them'
        )
        parser.add_argument("--accept", action="store_true", help="accept the texts, after reading them")

    def act_on(self, found: Campaign, *, accept: bool, **options: Any) -> dict[str, Any]:
        files = {name: options[name] for name in ("consent", "instructions", "example")}
        changes = {name: file and read_text_file(file) for name, file in files.items()}
        changes |= {name: options[name] for name in ("content_warning", "ethics_approval")}
        if any(change is not None for change in changes.values()):
            set_texts(found, **changes)
        if accept:
            accept_texts(found, who=self.who)
        return {
            "consent": agreed_text(found),
            "instructions": filled(found, found.instructions_text),
            "example": found.example_text,
            "accepted": found.texts_accepted_at is not None,
        }

    def show(self, result: dict[str, Any]) -> None:
        for name in ("consent", "instructions", "example"):
            self.out.print(f"{name.upper()}\n{result[name] or 'none'}\n", markup=False)
        words = "Accepted." if result["accepted"] else "Not accepted yet. Read the texts, then add --accept."
        self.out.print(words)
