import argparse
from typing import Any

from config.commands.console import Command as BaseCommand, CommandParser
from leaderboard.analyses.registry import KINDS
from leaderboard.management.kind_command import command_of


class Command(BaseCommand):
    help = (
        "Analyze runs or judgments. Without a kind, list the kinds of analysis. `analyse KIND --help` lists the "
        "options of a kind."
    )
    example = "manage.py analyse stability mine --qrels official --figure ranks.pdf"

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", nargs="?", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
        parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="...", help="options of the kind")

    def handle(self, *args: Any, kind: str | None, rest: list[str], **options: Any) -> None:
        if kind is None:
            return super().handle(*args, **options)
        made = command_of(kind)(stdout=self.stdout, stderr=self.stderr)
        parser = made.create_parser("manage.py", f"analyse {kind}")
        given = vars(parser.parse_args([*rest, *(["--json"] if options["json"] else [])]))
        return made.handle(**given)

    def act(self, **options: Any) -> dict[str, Any]:
        return {
            kind.name: {"title": kind.title, "says": kind.sentence, "needs": kind.needs}
            for kind in KINDS.values()
        }

    def show(self, result: dict[str, Any]) -> None:
        for name, kind in result.items():
            self.out.print(f"{name:<20} {kind['says']}\n{'':<20} Needs {kind['needs']}.", markup=False)
